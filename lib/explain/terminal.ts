/** How wide text is on a terminal, and colours. */

/** Characters that take two columns, apart from emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|^[\d#*]\ufe0f?\u20e3/u
const ONLY_MARKS = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

const graphemeWidth = (grapheme: string) => {
  if (grapheme.length === 1 && grapheme >= ' ' && grapheme <= '~') return 1
  if (ONLY_MARKS.test(grapheme)) return 0
  return EMOJI.test(grapheme) || WIDE.test(grapheme) ? 2 : 1
}

export const widthOf = (text: string) => {
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

/** The graphemes of a text that fit, from its start or from its end; undefined if all of it fits. */
const fitting = (text: string, columns: number, fromEnd: boolean) => {
  // No more graphemes than columns are examined, however long the text is.
  const most = columns * 40 + 40
  const near = graphemes.segment(fromEnd ? text.slice(-most) : text.slice(0, most))
  const kept: string[] = []
  let [width, isWhole] = [0, text.length <= most]
  for (const { segment } of fromEnd ? [...near].toReversed() : near) {
    width += graphemeWidth(segment)
    kept.push(segment)
    isWhole &&= width <= columns
    if (width > columns) break
  }
  if (isWhole) return undefined
  while (width >= columns) width -= graphemeWidth(kept.pop() ?? '')
  return kept
}

/** A text in at most this many columns; `…` stands where something is missing. */
export const fit = (text: string, columns: number) => {
  if (columns <= 0) return ''
  const kept = fitting(text, columns, false)
  return kept === undefined ? text : `${kept.join('')}…`
}

/** The same for a path, whose end matters most: `…` goes before it. */
export const fitPath = (path: string, columns: number) => {
  if (columns <= 0) return ''
  const kept = fitting(path, columns, true)
  return kept === undefined ? path : `…${kept.toReversed().join('')}`
}

/** A text in lines of at most this many columns, broken between words where there are some. */
export const wrap = (text: string, columns: number) => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && widthOf(longer) > columns) {
      lines.push(line)
      line = fit(word, columns)
    } else line = fit(longer, columns)
  }
  return [...lines, line]
}

export const padEnd = (text: string, columns: number) => text + ' '.repeat(Math.max(0, columns - widthOf(text)))

export const padStart = (text: string, columns: number) => ' '.repeat(Math.max(0, columns - widthOf(text))) + text

const CODES: { [name: string]: string } = {
  bold: '1',
  dim: '2',
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
  white: '37',
  gray: '90',
  brightBlue: '94',
}

export type Paint = (style: string, text: string) => string
export const painter = (hasColors: boolean): Paint =>
  hasColors ? (style, text) => (text === '' ? '' : `\u001b[${CODES[style]}m${text}\u001b[0m`) : (_, text) => text

/** Colours only on a terminal, and not if `NO_COLOR` says so. */
export const hasColors = (stream: { isTTY?: boolean }, environment: { [name: string]: string | undefined }) =>
  stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb'
