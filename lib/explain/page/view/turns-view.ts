/** A sequence of prompts: how they grow, what was dropped when, how much of the beginning stayed. */
import { agentText, grouped, limitOf, percent, totalOf, unitOf } from '../words.js'
import { button, element, table } from './dom.js'
import { turnsChart } from './turns-chart.js'
import type { Turn } from '../../turn.js'

/** How many messages of the conversation a prompt has, and how many it left out for lack of room. */
const contextCounts = ({ report }: Turn) => {
  const { itemsBefore = 0, itemsAfter = 0 } = report.sections.find(({ name }) => name === 'context') ?? {}
  return { kept: itemsAfter, dropped: Math.max(0, itemsBefore - itemsAfter) }
}

const prefixText = ({ report: { stablePrefixBytes, promptBytes } }: Turn) =>
  stablePrefixBytes === undefined ? '–' : `${grouped(stablePrefixBytes)} (${percent(stablePrefixBytes, promptBytes)})`

export const turnsView = (turns: Turn[], onChoose: (at: number) => void) => {
  const unit = turns.every(({ report }) => unitOf(report) === 'tokens') ? 'tokens' : 'bytes'
  const { chart, show: showColumn, isLimitDrawn, limit } = turnsChart(turns, unit, onChoose)
  const { box, show: showTurns } = table<Turn>('Prompts', [
    ['#prompt', (_, at) => button(`${at + 1}`, () => onChoose(at), { 'aria-label': `Show prompt ${at + 1}` })],
    ['agent', ({ report }) => agentText(report)],
    [`#${unit}`, ({ report }) => grouped(totalOf(report, unit))],
    ['#of the budget', ({ report }) => percent(totalOf(report, unit), limitOf(report, unit))],
    ['#messages', (turn) => grouped(contextCounts(turn).kept)],
    ['#dropped', (turn) => grouped(contextCounts(turn).dropped)],
    ['#same beginning, in bytes', prefixText],
  ])
  const rows = showTurns(turns)
  const show = (chosen: number) => {
    showColumn(chosen)
    rows.forEach((row, at) => {
      row.querySelector('button')?.setAttribute('aria-pressed', String(at === chosen))
      row.classList.toggle('current', at === chosen)
    })
    const row = rows[chosen]
    if (row) box.scrollTop = Math.max(0, row.offsetTop - box.clientHeight / 2)
  }
  const legend = `Each column is a prompt, by section, in ${unit}. ${isLimitDrawn ? 'The dashed line is the budget.' : `The budget of ${grouped(limit)} ${unit} is above the chart.`}${unit === 'bytes' ? ' The thick line marks the beginning that is the same as before, which prompt caches can reuse.' : ''}`
  return { body: element('section', element('h2', 'Prompts'), chart, element('p.soft', legend), box), show }
}
