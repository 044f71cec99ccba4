'use strict'
/** Starts the page: reads its data, shows one prompt, and follows the slider. */
const { visibleLine } = require('../visible.js')
const { grouped } = require('../words.js')
const { budgetAsSent, budgetView, sliderView, stateAt } = require('./budget-view.js')
const { byId, element } = require('./dom.js')
const { promptView } = require('./prompt-view.js')
const { reportParts } = require('./report-view.js')
const { turnsView } = require('./turns-view.js')

/** @typedef {import('../../turn.js').Turn} Turn */
/** @type {{ turns: Turn[] }} */
const { turns } = JSON.parse(byId('data').textContent ?? '')
const main = byId('main')

/** @param {Turn} turn */
const headline = ({ report }) => {
  const who = visibleLine(report.agentId === undefined ? report.agentType : `${report.agentId} (${report.agentType})`)
  const flag = report.systemFlagBytes > 0 ? `, ${grouped(report.systemFlagBytes)} of them in the system flag` : ''
  const limits = report.maxTokens === undefined ? '' : ` of ${grouped(report.maxTokens)}`
  const tokens =
    report.totalTokens === undefined
      ? ''
      : ` ${report.tokensExact === false ? 'About ' : ''}${grouped(report.totalTokens)}${limits} tokens.`
  const limited = report.limitedBy === undefined ? '' : ` The limit is that in ${report.limitedBy}.`
  return element(
    'p',
    {},
    `For ${who}: ${grouped(report.totalBytes)} of ${grouped(report.maxBytes)} bytes${flag}.${tokens}${limited}`,
  )
}

/** @param {Turn} turn @returns {{ nodes: HTMLElement[], start(): void }} */
const turnView = (turn) => {
  const budget = budgetView(turn)
  const prompt = promptView(turn)
  const slider = sliderView(turn, (bytes) => show(bytes))
  let shown = budgetAsSent(turn)
  const show = (/** @type {number} */ bytes) => {
    shown = bytes
    const state = stateAt(turn, bytes)
    budget.show(state)
    slider?.show(state)
    prompt.show(state)
  }
  const redraw = () => budget.show(stateAt(turn, shown))
  window.addEventListener('resize', redraw)
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)
  const notices = turn.lacks.map((text) => element('p.notice', {}, text))
  const nodes = [
    element(
      'section',
      { id: 'budget' },
      element('h2', {}, 'Budget'),
      headline(turn),
      ...(slider === null ? [] : [slider.body]),
      budget.body,
      ...notices,
    ),
    ...(prompt.isEmpty
      ? []
      : [element('section', { id: 'prompt' }, element('h2', {}, 'Prompt, with what was cut'), prompt.body)]),
    ...reportParts(turn.report),
  ]
  return { nodes, start: () => show(budgetAsSent(turn)) }
}

const shownTurn = element('div')
const showTurn = (/** @type {number} */ at) => {
  const turn = turns[at]
  if (turn === undefined) return
  const view = turnView(turn)
  shownTurn.replaceChildren(...view.nodes)
  view.start()
}

const overview =
  turns.length > 1
    ? turnsView(turns, (at) => {
        overview?.show(at)
        showTurn(at)
      })
    : null
main.replaceChildren(...(overview === null ? [] : [overview.body]), shownTurn)
overview?.show(turns.length - 1)
showTurn(turns.length - 1)
