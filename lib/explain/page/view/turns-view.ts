/** A sequence of prompts: how they grow, what was dropped when, how much of the beginning stayed. */
import { visibleLine } from '../visible.js'
import { grouped, percent, unitOf } from '../words.js'
import { element, table } from './dom.js'
import { limitOf, totalOf, turnsChart } from './turns-chart.js'
import type { Turn } from '../../turn.js'

/** How many messages a prompt left out for lack of room. */
const droppedCount = ({ report }: Turn) => {
  const { itemsBefore = 0, itemsAfter = 0 } = report.sections.find(({ name }) => name === 'context') ?? {}
  return Math.max(0, itemsBefore - itemsAfter)
}

export const turnsView = (turns: Turn[], onChoose: (at: number) => void) => {
  const unit = turns.every(({ report }) => unitOf(report) === 'tokens') ? 'tokens' : 'bytes'
  const { chart, show: showColumn, isLimitDrawn, limit } = turnsChart(turns, unit, onChoose)
  const { box, rows } = table('Prompts', [
    '#prompt',
    'agent',
    `#${unit}`,
    '#of the budget',
    '#messages',
    '#dropped',
    '#same beginning, in bytes',
  ])
  const buttons = turns.map((turn, at) => turnRow(turn, at, rows, onChoose, unit))
  const show = (chosen: number) => {
    showColumn(chosen)
    buttons.forEach((button, at) => {
      button.setAttribute('aria-pressed', String(at === chosen))
      button.closest('tr')?.classList.toggle('current', at === chosen)
    })
    const row = buttons[chosen]?.closest('tr')
    if (row) box.scrollTop = Math.max(0, row.offsetTop - box.clientHeight / 2)
  }
  const legend = `Each column is a prompt, by section, in ${unit}. ${isLimitDrawn ? 'The dashed line is the budget.' : `The budget of ${grouped(limit)} ${unit} is above the chart.`}${unit === 'bytes' ? ' The thick line marks the beginning that is the same as before, which prompt caches can reuse.' : ''}`
  return { body: element('section', {}, element('h2', {}, 'Prompts'), chart, element('p.soft', {}, legend), box), show }
}

const turnRow = (
  turn: Turn,
  at: number,
  rows: HTMLElement,
  onChoose: (at: number) => void,
  unit: 'bytes' | 'tokens',
) => {
  const { report } = turn
  const { itemsAfter = 0 } = report.sections.find(({ name }) => name === 'context') ?? {}
  const button = element('button', { type: 'button', 'aria-label': `Show prompt ${at + 1}` }, String(at + 1))
  button.addEventListener('click', () => onChoose(at))
  const { stablePrefixBytes } = report
  rows.append(
    element(
      'tr',
      {},
      element('td.number', {}, button),
      element(
        'td.text.agent',
        {},
        visibleLine(report.agentId === undefined ? report.agentType : `${report.agentId} (${report.agentType})`),
      ),
      element('td.number', {}, grouped(totalOf(report, unit))),
      element('td.number', {}, percent(totalOf(report, unit), limitOf(report, unit))),
      element('td.number', {}, grouped(itemsAfter)),
      element('td.number', {}, grouped(droppedCount(turn))),
      element(
        'td.number',
        {},
        stablePrefixBytes === undefined
          ? '–'
          : `${grouped(stablePrefixBytes)} (${percent(stablePrefixBytes, report.promptBytes)})`,
      ),
    ),
  )
  return button
}
