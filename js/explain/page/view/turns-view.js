'use strict'
/** A sequence of prompts: how they grow, what was dropped when, how much of the beginning stayed. */
const { visibleLine } = require('../visible.js')
const { grouped, partName, percent } = require('../words.js')
const { drawing, element, table } = require('./dom.js')

/** @typedef {import('../../turn.js').Turn} Turn */

const HEIGHT = 190
const COLUMN = 26
const MAX_COLUMN_SPACE = 60

/** How many messages a prompt left out for lack of room. @param {Turn} turn */
const droppedCount = ({ report }) => {
  const { itemsBefore = 0, itemsAfter = 0 } = report.sections.find(({ name }) => name === 'context') ?? {}
  return Math.max(0, itemsBefore - itemsAfter)
}

/** @param {Turn[]} turns @param {(at: number) => void} onChoose */
const turnsView = (turns, onChoose) => {
  const most = Math.max(1, ...turns.map(({ report }) => report.totalBytes))
  const limit = Math.max(...turns.map(({ report }) => report.maxBytes))
  // A budget that is far away is said and not drawn: the prompts would be too small to see.
  const top = limit <= most * 1.5 ? Math.max(limit, most) : most
  const width = Math.max(10, turns.length) * COLUMN
  const heightOf = (/** @type {number} */ bytes) => (bytes / top) * HEIGHT
  const columns = turns.map(({ report }, at) => turnColumn(report, at, heightOf))
  const line =
    limit <= top
      ? [
          drawing('line', {
            class: 'limit',
            x1: 0,
            x2: width,
            y1: HEIGHT - heightOf(limit),
            y2: HEIGHT - heightOf(limit),
          }),
        ]
      : []
  const chart = drawing(
    'svg',
    {
      viewBox: `0 0 ${width} ${HEIGHT}`,
      preserveAspectRatio: width < 1200 ? 'xMinYMax meet' : 'none',
      role: 'img',
      'aria-label': `Bytes of ${turns.length} prompts, by section. The table below has the numbers.`,
    },
    ...columns,
    ...line,
  )
  if (width > MAX_COLUMN_SPACE * 20) chart.setAttribute('preserveAspectRatio', 'none')
  const { box, rows } = table('Prompts', [
    '#prompt',
    'agent',
    '#bytes',
    '#of the budget',
    '#messages',
    '#dropped',
    '#same beginning',
  ])
  const buttons = turns.map((turn, at) => turnRow(turn, at, rows, onChoose))
  const show = (/** @type {number} */ chosen) => {
    columns.forEach((column, at) => column.setAttribute('class', at === chosen ? 'current' : ''))
    buttons.forEach((button, at) => {
      button.setAttribute('aria-pressed', String(at === chosen))
      button.closest('tr')?.classList.toggle('current', at === chosen)
    })
  }
  const legend = `Each column is a prompt, by section. ${limit <= top ? 'The dashed line is the budget.' : `The budget of ${grouped(limit)} bytes is above the chart.`} A black or white line marks the beginning that is the same as before, which prompt caches can reuse.`
  return { body: element('section', {}, element('h2', {}, 'Prompts'), chart, element('p.soft', {}, legend), box), show }
}

/** @param {import('../words.js').Report} report @param {number} at @param {(bytes: number) => number} heightOf */
const turnColumn = (report, at, heightOf) => {
  const x = at * COLUMN + 3
  let y = HEIGHT
  const pieces = report.sections
    .filter(({ bytesAfter }) => bytesAfter > 0)
    .map(({ name, bytesAfter }) => {
      y -= heightOf(bytesAfter)
      const piece = drawing('rect', { class: `part-${name}`, x, y, width: COLUMN - 6, height: heightOf(bytesAfter) })
      piece.append(drawing('title', {}, document.createTextNode(`${partName(name)}: ${grouped(bytesAfter)} bytes`)))
      return piece
    })
  const { stablePrefixBytes = 0, systemFlagBytes } = report
  const stable = HEIGHT - heightOf(stablePrefixBytes + systemFlagBytes)
  const prefix =
    stablePrefixBytes > 0
      ? [drawing('line', { class: 'prefix', x1: x - 3, x2: x + COLUMN - 3, y1: stable, y2: stable })]
      : []
  return drawing(
    'g',
    {},
    drawing('rect', { class: 'frame', x: x - 3, y: 0, width: COLUMN, height: HEIGHT }),
    ...pieces,
    ...prefix,
  )
}

/** @param {Turn} turn @param {number} at @param {HTMLElement} rows @param {(at: number) => void} onChoose */
const turnRow = (turn, at, rows, onChoose) => {
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
      element('td.number', {}, grouped(report.totalBytes)),
      element('td.number', {}, percent(report.totalBytes, report.maxBytes)),
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

module.exports = { turnsView }
