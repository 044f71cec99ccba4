/** The rest of the report: what was left out, what reads as structure, the account. */
import { counted, findingText, grouped, messageName, messageNames, orDash, reasonText, visibleLine } from '../words.js'
import { element, section, partLabel, table, textBox, textNodes } from './dom.js'
import type { AssemblerReport, LeftOut } from '../../../prompts/report.js'
import type { Turn } from '../../turn.js'

const whatIsOut = ({ action, id, index, from }: LeftOut) => {
  const name = index === undefined ? [] : [messageName({ index, id })]
  const which = [...name, ...(from === undefined ? [] : [visibleLine(from)])].join(' ')
  return which === '' ? action : `${action}: ${which}`
}

const leftOutPart = ({ leftOut, decisions, dropped }: AssemblerReport) => {
  if (leftOut.length === 0 && decisions.length === 0) return []
  const list = element('ul', ...decisions.map((decision) => element('li.text', visibleLine(decision))))
  const tokens = new Map(dropped.map((message) => [message.index, message.tokens]))
  const tokensColumn: [head: string, cell: (entry: LeftOut) => string] = [
    '#tokens',
    ({ index = -1 }) => orDash(tokens.get(index)),
  ]
  const { box, show } = table<LeftOut>('Left out', [
    ['where', ({ part: name }) => partLabel(name)],
    ['what', whatIsOut],
    ['why', ({ reason }) => reasonText(reason)],
    ['#texts', ({ count }) => grouped(count)],
    ['#bytes', ({ bytes }) => grouped(bytes)],
    ...(dropped.some((message) => message.tokens !== undefined) ? [tokensColumn] : []),
  ])
  show(leftOut)
  const details = element(
    'details',
    element('summary.plain', counted(leftOut.length, 'account entry', 'account entries')),
    box,
  )
  return [section('What was left out, and why', leftOut.length > 0 ? [list, details] : [list])]
}

const findingsPart = ({ findings }: AssemblerReport, nameOf: (index: number) => string) => {
  if (findings.length === 0) return []
  const list = findings.map((finding) =>
    element('li', findingText(finding, nameOf), textBox('The line', ...textNodes(finding.text))),
  )
  return [section('Text that looks like structure', [element('ul', ...list)])]
}

const accountPart = ({ account: { givenBytes, sentBytes, leftOutBytes } }: AssemblerReport) => {
  const says = `${grouped(givenBytes)} bytes of text were given: ${grouped(sentBytes)} are sent, ${grouped(leftOutBytes)} are left out. Names, titles and omission lines are not counted here.`
  return section('Account', [element('p', says)])
}

export const reportParts = (turn: Turn) => {
  const { report } = turn
  return [...leftOutPart(report), ...findingsPart(report, messageNames(turn)), accountPart(report)]
}
