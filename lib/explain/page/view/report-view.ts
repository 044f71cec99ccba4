/** The rest of the report: what was left out, what reads as structure, the account. */
import { visibleLine } from '../visible.js'
import { counted, findingText, grouped, messageName, messageNames, partName, reasonText } from '../words.js'
import { element, table, textNodes } from './dom.js'
import type { Report as AssemblerReport } from '../words.js'
import type { Turn } from '../../turn.js'

const part = (title: string, ...children: Node[]) => element('section', {}, element('h2', {}, title), ...children)

const leftOutPart = ({ leftOut, decisions, dropped }: AssemblerReport) => {
  if (leftOut.length === 0 && decisions.length === 0) return []
  const list = element('ul', {}, ...decisions.map((decision) => element('li.text', {}, visibleLine(decision))))
  const tokens = new Map(dropped.flatMap(({ index, tokens: count }) => (count === undefined ? [] : [[index, count]])))
  const { box, rows } = table('Left out', [
    'where',
    'what',
    'why',
    '#texts',
    '#bytes',
    ...(tokens.size > 0 ? ['#tokens'] : []),
  ])
  rows.append(
    ...leftOut.map(({ part: name, action, reason, bytes, count, id, index, from }) => {
      const which = [index === undefined ? '' : messageName({ index, id }), from === undefined ? '' : visibleLine(from)]
        .filter((text) => text !== '')
        .join(' ')
      const ofTokens = index === undefined ? undefined : tokens.get(index)
      return element(
        'tr',
        {},
        element('td', {}, element(`span.swatch.part-${name}`), partName(name)),
        element('td.text', {}, which === '' ? action : `${action}: ${which}`),
        element('td.text', {}, reasonText(reason)),
        element('td.number', {}, grouped(count)),
        element('td.number', {}, grouped(bytes)),
        ...(tokens.size > 0 ? [element('td.number', {}, ofTokens === undefined ? '–' : grouped(ofTokens))] : []),
      )
    }),
  )
  const details = element(
    'details',
    {},
    element('summary.plain', {}, counted(leftOut.length, 'account entry', 'account entries')),
    box,
  )
  return [part('What was left out, and why', list, ...(leftOut.length > 0 ? [details] : []))]
}

const findingsPart = ({ findings }: AssemblerReport, nameOf: (index: number) => string) =>
  findings.length === 0
    ? []
    : [
        part(
          'Text that looks like structure',
          element(
            'ul',
            {},
            ...findings.map((finding) =>
              element(
                'li',
                {},
                findingText(finding, nameOf),
                element('pre', { tabindex: 0, 'aria-label': 'The line' }, ...textNodes(finding.text)),
              ),
            ),
          ),
        ),
      ]

const accountPart = ({ account: { givenBytes, sentBytes, leftOutBytes } }: AssemblerReport) =>
  part(
    'Account',
    element(
      'p',
      {},
      `${grouped(givenBytes)} bytes of text were given: ${grouped(sentBytes)} are sent, ${grouped(leftOutBytes)} are left out. Names, titles and omission lines are not counted here.`,
    ),
  )

export const reportParts = (turn: Turn) => {
  const { report } = turn
  return [...leftOutPart(report), ...findingsPart(report, messageNames(turn)), accountPart(report)]
}
