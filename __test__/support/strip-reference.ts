/**
 * A second, plain implementation of marker stripping: remove one marker, close its gap,
 * look at the whole text again, repeat. Quadratic and obvious, to compare the real one with.
 * Brackets in code are replaced by other characters before that, and put back afterwards.
 */

/** `[FROM:x]`, `[NEXT:x]`, `[DROP:x]`: on one line. `[TEAM_TASK: x]`: over lines, but not over a blank one. */
const OPENING = /\[(?:from|next|drop|team_task):/gi

const TASK_TITLE = '[team_task]'

const isBlank = (line: string): boolean => line.trim() === ''
const isTaskTitle = (line: string): boolean => line.trim().toLowerCase() === TASK_TITLE
const isTitle = (line: string): boolean => /^\[\p{Alphabetic}[^\]]*\]/u.test(line.trim())

/** The lines of a text, each with its line break. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/**
 * The text without some lines. One of the blank lines on both sides of the gap goes with
 * them; at the beginning and at the end of the text, all that are next to it.
 */
const withoutLines = (lines: string[], from: number, to: number): string => {
  const before = lines.slice(0, from)
  const after = lines.slice(to)
  if (after.length === 0) {
    while (before.length > 0 && isBlank(before.at(-1) ?? '')) before.pop()
    return before.join('').replace(/\r?\n$/, '')
  }
  if (before.length === 0) {
    while (after.length > 0 && isBlank(after[0] ?? '')) after.shift()
  } else if (isBlank(before.at(-1) ?? '') && isBlank(after[0] ?? '')) {
    after.shift()
  }
  return [...before, ...after].join('')
}

/** The text without its first `[TEAM_TASK]` that stands alone on its line; undefined if there is none. */
const withoutTask = (text: string): string | undefined => {
  const lines = linesOf(text)
  const start = lines.findIndex(isTaskTitle)
  if (start < 0) return undefined
  const next = lines.findIndex((line, index) => index > start + 1 && isTitle(line) && isBlank(lines[index - 1] ?? ''))
  // The blank line before the next title stays.
  return withoutLines(lines, start, next < 0 ? lines.length : next - 1)
}

const mayStandInMarker = (opening: string, inside: string): boolean => {
  if (inside.includes(']')) return false
  if (!/team_task/i.test(opening)) return !inside.includes('\n')
  const below = inside.split('\n').slice(1, -1)
  return !below.some(isBlank)
}

/** Where the marker that ends first begins and ends: of nested ones, the innermost. */
const findMarker = (text: string): [number, number] | undefined => {
  for (let end = text.indexOf(']'); end >= 0; end = text.indexOf(']', end + 1)) {
    const openings = [...text.slice(0, end).matchAll(OPENING)]
    const innermost = openings.findLast(({ 0: opening, index }) =>
      mayStandInMarker(opening, text.slice(index + opening.length, end)),
    )
    if (innermost) return [innermost.index, end + 1]
  }
  return undefined
}

/** The text without its first marker; undefined if there is none. */
const withoutMarker = (text: string): string | undefined => {
  const marker = findMarker(text)
  if (!marker) return undefined
  let before = text.slice(0, marker[0])
  let after = text.slice(marker[1])
  const left = before.slice(before.lastIndexOf('\n') + 1)
  const right = /^[^\n]*/.exec(after)?.[0] ?? ''
  if (isBlank(left + right)) {
    const index = linesOf(before.slice(0, before.length - left.length)).length
    const lines = linesOf(before + after)
    // On a last line of which nothing at all is left, there is no line to take out.
    if (index === lines.length) lines.push('')
    return withoutLines(lines, index, index + 1)
  }
  // The edges of a line count as a space.
  if (/(?:^|[ \t])$/.test(left) && after.startsWith(' ')) after = after.slice(1)
  if (/^(?:$|\r?\n)/.test(after) && before.endsWith(' ')) before = before.slice(0, -1)
  return before + after
}

const repeatedly = (text: string, once: (text: string) => string | undefined): string => {
  const next = once(text)
  return next === undefined ? text : repeatedly(next, once)
}

const withoutAny = (text: string): string => repeatedly(repeatedly(text, withoutTask), withoutMarker)

/** What stands for brackets in code; no text of a test has these. */
const HIDDEN = { '[': '\ue000', ']': '\ue001' }

const hidden = (code: string): string => code.replaceAll('[', HIDDEN['[']).replaceAll(']', HIDDEN[']'])
const shown = (text: string): string => text.replaceAll(HIDDEN['['], '[').replaceAll(HIDDEN[']'], ']')

/** A paragraph, with the brackets in its inline code hidden. */
const hiddenInParagraph = (paragraph: string): string => {
  const opening = /`+/.exec(paragraph)
  if (!opening) return paragraph
  const begin = opening.index + opening[0].length
  const rest = paragraph.slice(begin)
  const closing = [...rest.matchAll(/`+/g)].find(({ 0: run }) => run === opening[0])
  const end = closing ? begin + closing.index + closing[0].length : begin
  return (
    paragraph.slice(0, opening.index) +
    hidden(paragraph.slice(opening.index, end)) +
    hiddenInParagraph(paragraph.slice(end))
  )
}

const OPENING_FENCE = /^ {0,3}(?:(`{3,})[^`]*|(~{3,})[^]*)$/

/** A text, with the brackets in its code hidden: fence by fence, paragraph by paragraph. */
const hiddenInCode = (text: string): string => {
  const lines = linesOf(text)
  const result = []
  while (lines.length > 0) {
    const fence = OPENING_FENCE.exec(lines[0] ?? '')
    if (fence) {
      const run = fence[1] ?? fence[2] ?? ''
      const closing = lines.findIndex(
        (line, index) => index > 0 && new RegExp(`^ {0,3}${run}${run[0]}*[ \\t\\r\\n]*$`).test(line),
      )
      result.push(hidden(lines.splice(0, closing < 0 ? lines.length : closing + 1).join('')))
      continue
    }
    // A blank line is a paragraph of its own here: it has no code.
    const end = lines.findIndex(
      (line, index) => index > 0 && (isBlank(line) || isBlank(lines[0] ?? '') || OPENING_FENCE.test(line)),
    )
    result.push(hiddenInParagraph(lines.splice(0, end < 0 ? lines.length : end).join('')))
  }
  return result.join('')
}

/** How often code is spared. A text that keeps changing what is code is stripped all over. */
const ROUNDS_WITH_CODE = 4

export const referenceStrip = (text: string, round = 0): string => {
  const stripped = round < ROUNDS_WITH_CODE ? shown(withoutAny(hiddenInCode(text))) : withoutAny(text)
  return stripped === text ? text : referenceStrip(stripped, round + 1)
}
