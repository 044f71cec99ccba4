/** A sequence of prompts: how they grow, what was dropped when, how much of the beginning stayed. */
import { agentText, grouped, inUnit, limitOf, partName, percent, totalOf, unitOf, type Unit } from '../words.js'
import { button, drawing, element, section, table } from './dom.js'
import type { AssemblerReport } from '../../../prompts/report.js'
import type { Turn } from '../../turn.js'

const HEIGHT = 190
const COLUMN = 30
const FOOT = 22
const AXIS = 68
const TOP = 8

/** A round step for about four lines of an axis. */
const stepOf = (most: number) => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 4)))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => most / step <= 4.5) ?? power * 10
}

const textAt = (text: string, x: number, y: number, anchor: string) =>
  drawing('text', { x, y, 'text-anchor': anchor }, text)

/** Prompts as columns, with an axis. It scrolls sideways, so that a column is as wide on a phone as elsewhere. */
const turnsChart = (turns: Turn[], unit: Unit, onChoose: (at: number) => void) => {
  const most = Math.max(1, ...turns.map(({ report }) => totalOf(report, unit)))
  const limit = Math.max(...turns.map(({ report }) => limitOf(report, unit)))
  // A budget far above the prompts is stated, not drawn: the prompts would be too small to see.
  const isLimitDrawn = limit <= most * 1.5
  const top = isLimitDrawn ? Math.max(limit, most) : most
  const yOf = (size: number) => TOP + HEIGHT - (size / top) * HEIGHT
  const width = turns.length * COLUMN
  const step = stepOf(top)
  const ticks = Array.from({ length: Math.floor(top / step) + 1 }, (_, at) => at * step)
  const lineAt = (size: number, name: string) =>
    drawing('line', { class: name, x1: 0, x2: width, y1: yOf(size), y2: yOf(size) })
  const height = TOP + HEIGHT + FOOT
  const axis = drawing(
    'svg',
    { width: AXIS, height, 'aria-hidden': 'true' },
    ...ticks.map((tick) => textAt(grouped(tick), AXIS - 8, yOf(tick) + 4, 'end')),
  )
  const every = Math.ceil(turns.length / 200)
  const columns = turns.map(({ report }, at) => {
    const column = turnColumn(report, at, unit, yOf)
    if (at % every === 0) column.append(textAt(String(at + 1), at * COLUMN + COLUMN / 2, TOP + HEIGHT + 16, 'middle'))
    column.addEventListener('click', () => onChoose(at))
    return column
  })
  const label = `${unit} of ${turns.length} prompts, by section. The table below has the numbers.`
  const svg = drawing(
    'svg',
    { width, height, role: 'img', 'aria-label': label },
    ...ticks.map((tick) => lineAt(tick, 'axis')),
    ...columns,
    ...(isLimitDrawn ? [lineAt(limit, 'limit')] : []),
  )
  const scroller = element('div', { tabindex: 0, role: 'region', 'aria-label': 'Chart of prompts' }, svg)
  const show = (chosen: number) => {
    columns.forEach((column, at) => column.setAttribute('class', at === chosen ? 'current' : ''))
    scroller.scrollLeft = chosen * COLUMN - scroller.clientWidth / 2
  }
  return { chart: element('div.chart', axis, scroller), show, isLimitDrawn, limit }
}

const turnColumn = (report: AssemblerReport, at: number, unit: Unit, yOf: (size: number) => number) => {
  const x = at * COLUMN
  let below = 0
  const pieces = report.sections.flatMap(({ name, bytesAfter, tokensAfter }) => {
    const size = inUnit(unit, bytesAfter, tokensAfter)
    if (size === 0) return []
    const [y, height] = [yOf(below + size), yOf(below) - yOf(below + size)]
    below += size
    const piece = drawing('rect', { class: `part-${name}`, x: x + 3, y, width: COLUMN - 6, height })
    piece.append(drawing('title', `${partName(name)}: ${grouped(size)} ${unit}`))
    return [piece]
  })
  const { stablePrefixBytes = 0, systemFlagBytes } = report
  const stable = yOf(stablePrefixBytes + systemFlagBytes)
  const frame = drawing('rect', { class: 'frame', x, y: 0, width: COLUMN, height: TOP + HEIGHT + FOOT })
  const prefix = drawing('line', { class: 'prefix', x1: x, x2: x + COLUMN, y1: stable, y2: stable })
  return drawing('g', frame, ...pieces, ...(unit === 'bytes' && stablePrefixBytes > 0 ? [prefix] : []))
}

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
  return { body: section('Prompts', [chart, element('p.soft', legend), box]), show }
}
