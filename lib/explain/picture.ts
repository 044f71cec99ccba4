/** A prompt as a picture for the terminal. */
import { fatesOf, sectionsAt, stateAt } from './page/state.js'
import {
  agentText,
  counted,
  findingText,
  grouped,
  inUnit,
  limitOf,
  messageName,
  messageNames,
  namesText,
  partName,
  percent,
  reasonText,
  sectionFate,
  tokensText,
  visibleLine,
} from './page/words.js'
import { fit, padEnd, padStart, widthOf, wrap, type Paint } from './terminal.js'
import type { Turn } from './turn.js'

export type Style = { columns: number; paint: Paint; all: boolean; names: { [part: string]: string } }

const SECTION_STYLES: { [part: string]: [letter: string, color: string] } = {
  system: ['S', 'magenta'],
  teamTask: ['T', 'cyan'],
  summary: ['U', 'yellow'],
  context: ['C', 'green'],
  parent: ['P', 'brightBlue'],
  siblings: ['R', 'white'],
  message: ['M', 'blue'],
  routing: ['I', 'gray'],
}
const PREFERRED_COLUMNS = 120
/** How many dropped messages in a row are shown; the others are summed up. */
const SHOWN_DROPPED = 20
/** In fewer columns, lines show only names. */
const WIDE_ENOUGH = 70

const letterOf = (part: string) => (SECTION_STYLES[part] ?? ['?', 'gray'])[0]
const colorOf = (part: string) => (SECTION_STYLES[part] ?? ['?', 'gray'])[1]

/** A bar to scale, in bytes or in tokens. Anything with a size gets at least one column. */
export const bar = (
  { columns, paint }: Pick<Style, 'columns' | 'paint'>,
  parts: { name: string; bytes: number }[],
  whole: number,
) => {
  const width = columns - 2
  const lengths = parts.map(({ bytes }) => Math.max(1, Math.round((bytes / whole) * width)))
  const sum = () => lengths.reduce((one, other) => one + other, 0)
  // Rounding may have made it too long.
  while (sum() > width) lengths[lengths.indexOf(Math.max(...lengths))] = Math.max(...lengths) - 1
  const drawn = parts.map(({ name }, at) => paint(colorOf(name), letterOf(name).repeat(lengths[at] ?? 0)))
  return `[${drawn.join('')}${paint('dim', '·'.repeat(width - sum()))}]`
}

/** The sections as they were sent, in the unit of the prompt. */
const sectionsOf = (turn: Turn) => sectionsAt({ ...turn, table: null }, stateAt({ ...turn, table: null }, 0))

const overview = (turn: Turn, style: Style) => {
  const { report, unit } = turn
  const { maxBytes, totalBytes, promptBytes, systemFlagBytes } = report
  const flag =
    systemFlagBytes > 0
      ? ` (${grouped(promptBytes)} in the prompt, ${grouped(systemFlagBytes)} in the system flag)`
      : ''
  const limited = report.limitedBy === undefined ? '' : `; limited by ${report.limitedBy}`
  const tokens = report.totalTokens === undefined ? [] : [`${tokensText(report)}${limited}`]
  const sent = sectionsOf(turn)
    .map(({ name, after }) => ({ name, bytes: after }))
    .filter(({ bytes }) => bytes > 0)
  const bytes = `${agentText(report)}: ${grouped(totalBytes)} of ${grouped(maxBytes)} bytes, ${percent(totalBytes, maxBytes)}${flag}`
  const lines = [bytes, ...tokens].flatMap((text) => wrap(text, style.columns))
  return [...lines.map((line) => style.paint('bold', line)), bar(style, sent, limitOf(report, unit))]
}

const sectionLines = (turn: Turn, { paint, columns, names }: Style) =>
  sectionsOf(turn).map((section) => {
    const { name, after, action, other } = section
    const also = other === undefined ? '' : `  (${counted(other, turn.unit === 'tokens' ? 'byte' : 'token')})`
    const fate = fit(`${sectionFate(section, turn.unit)}${also}`, columns - 33)
    return `  ${paint(colorOf(name), letterOf(name))} ${padEnd(names[name] ?? partName(name), 15)} ${padStart(grouped(after), 11)}  ${paint(action === 'kept' ? 'dim' : 'yellow', fate)}`
  })

const FATES: { [fate: string]: [word: string, color: string] } = {
  kept: ['kept', 'green'],
  pinned: ['pinned', 'cyan'],
  budget: ['dropped', 'red'],
  step: ['dropped', 'red'],
  layout: ['dropped', 'red'],
}

const messageLines = (turn: Turn, style: Style) => {
  const { messages, unit } = turn
  const sizes = messages.map(({ bytes, tokens }) => inUnit(unit, bytes, tokens))
  const fates = fatesOf(turn, null)
  const isWide = style.columns >= WIDE_ENOUGH
  const names = messages.map((message) => fit(namesText(message), isWide ? 24 : 8))
  const nameColumns = Math.max(4, ...names.map(widthOf))
  const line = (at: number) => {
    const [message, sent = ''] = [messages[at], fates[at]]
    if (message === undefined) return ''
    const [word, color] = FATES[sent] ?? ['', 'dim']
    const titles = (message.parts ?? []).flatMap(({ kind, title }) => (kind === 'text' ? [] : [title]))
    const reason = isWide && word === 'dropped' ? `: ${reasonText(sent)}` : ''
    const start = `  ${padStart(messageName(message), 6)} ${padEnd(names[at] ?? '', nameColumns)} ${padStart(grouped(sizes[at] ?? 0), 9)}  `
    const fate = padEnd(word, 7) + reason
    const text = fit(
      visibleLine([...titles, message.text.head.slice(0, 400)].join(' ')),
      style.columns - widthOf(start) - widthOf(fate) - 2,
    )
    return `${start}${style.paint(color, fate)}  ${style.paint('dim', text)}`
  }
  return summedUp(fates, line, sizes, { ...style, unit })
}

/** The lines; of a long row of messages with the same fate, only the ends. */
const summedUp = (
  fates: string[],
  line: (at: number) => string,
  sizes: number[],
  { all, paint, columns, unit }: Style & { unit: string },
) => {
  const lines: string[] = []
  for (let start = 0; start < fates.length; ) {
    let end = start + 1
    while (end < fates.length && fates[end] === fates[start]) end++
    const hidden = all ? 0 : end - start - 2 * SHOWN_DROPPED
    for (let at = start; at < end; at++) {
      if (hidden > 1 && at === start + SHOWN_DROPPED) {
        const sum = sizes.slice(at, at + hidden).reduce((one, other) => one + other, 0)
        const text = `  … ${counted(hidden, 'more message')} ${(FATES[fates[start] ?? ''] ?? [''])[0]}, ${grouped(sum)} ${unit} (--all shows each)`
        lines.push(paint('dim', fit(text, columns)))
        at += hidden - 1
      } else lines.push(line(at))
    }
    start = end
  }
  return lines
}

/** Dropped messages, where the kept ones are not known one by one. */
const droppedLines = ({ report, unit }: Turn, style: Style) =>
  report.dropped.toReversed().map(({ index, id, from, bytes, tokens, reason }) => {
    const most = style.columns >= WIDE_ENOUGH ? 24 : 8
    const name = fit(visibleLine(id === undefined ? from : `${id} ${from}`), most)
    return `  ${padStart(`#${index}`, 6)} ${padEnd(name, most)} ${padStart(grouped(inUnit(unit, bytes, tokens)), 9)}  ${style.paint('red', most > 8 ? `dropped: ${reasonText(reason)}` : 'dropped')}`
  })

const leftOutLines = ({ report }: Turn, { columns }: Style) =>
  report.decisions.flatMap((decision) =>
    wrap(visibleLine(decision), columns - 4).map((line, at) => `${at === 0 ? '' : '  '}  ${line}`),
  )

const findingLines = (turn: Turn, { columns, paint }: Style) =>
  turn.report.findings.flatMap((finding) => [
    `  ${fit(findingText(finding, messageNames(turn)), columns - 2)}`,
    `    ${paint('yellow', fit(visibleLine(finding.text), columns - 4))}`,
  ])

/**
 * The whole picture, one line each.
 * @param options `names` are the names of sections, if they differ from those of the parts.
 */
export const picture = (
  turn: Turn,
  { columns = 80, paint, all = false, names = {} }: Partial<Style> & Pick<Style, 'paint'>,
) => {
  const style = { columns: Math.max(40, Math.min(columns, PREFERRED_COLUMNS)), paint, all, names }
  const { givenBytes, sentBytes, leftOutBytes } = turn.report.account
  const block = (title: string, lines: string[]) => (lines.length === 0 ? [] : ['', paint('bold', title), ...lines])
  const account = `${grouped(givenBytes)} bytes given = ${grouped(sentBytes)} sent + ${grouped(leftOutBytes)} left out`
  return [
    ...overview(turn, style),
    '',
    ...sectionLines(turn, style),
    ...(turn.messages.length > 0
      ? block(`Messages, oldest first${turn.unit === 'tokens' ? ', in tokens' : ''}`, messageLines(turn, style))
      : block('Dropped messages', droppedLines(turn, style))),
    ...block('Left out', leftOutLines(turn, style)),
    ...block('Text that looks like structure', findingLines(turn, style)),
    ...block(
      'Account',
      wrap(account, style.columns - 2).map((line) => `  ${line}`),
    ),
  ].map((line) => line.trimEnd())
}
