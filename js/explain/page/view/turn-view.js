'use strict'
/** One prompt: its budget, what changed, its texts, and what the report says. */
const { budgetAsSent, stateAt } = require('../state.js')
const { visibleLine } = require('../visible.js')
const { counted, grouped } = require('../words.js')
const { budgetView } = require('./budget-view.js')
const { element } = require('./dom.js')
const { promptView } = require('./prompt-view.js')
const { reportParts } = require('./report-view.js')
const { sliderView } = require('./slider-view.js')

/** @typedef {import('../../turn.js').Turn} Turn */
/** @typedef {import('./message-list.js').Memory} Memory */

/** @returns {Memory} */
const emptyMemory = () => ({ search: '', filter: '', open: new Set() })

/** @param {Turn} turn */
const headline = ({ report, unit }) => {
  const who = visibleLine(report.agentId === undefined ? report.agentType : `${report.agentId} (${report.agentType})`)
  const flag = report.systemFlagBytes > 0 ? `, ${grouped(report.systemFlagBytes)} of them in the system flag` : ''
  const bytes = `${grouped(report.totalBytes)} of ${counted(report.maxBytes, 'byte')}${flag}`
  if (report.totalTokens === undefined) return element('p', {}, `For ${who}: ${bytes}.`)
  const most = report.maxTokens === undefined ? '' : ` of ${grouped(report.maxTokens)}`
  const tokens = `${report.tokensExact === false ? 'about ' : ''}${grouped(report.totalTokens)}${most} tokens`
  const [first, second] = unit === 'tokens' ? [tokens, bytes] : [bytes, tokens]
  const limited = report.limitedBy === undefined ? '' : ` Limited by ${report.limitedBy}.`
  return element('p', {}, `For ${who}: ${first}; ${second}.${limited}`)
}

/**
 * @param {Turn} turn
 * @param {Memory} memory
 * @param {HTMLElement[]} [changes] What changed since an earlier prompt.
 * @returns {{ nodes: HTMLElement[], start(): void, redraw(): void }}
 */
const turnView = (turn, memory, changes = []) => {
  const budget = budgetView(turn)
  const prompt = promptView(turn, memory)
  const slider = sliderView(turn, (bytes) => show(bytes))
  let shown = budgetAsSent(turn)
  const show = (/** @type {number} */ bytes) => {
    shown = bytes
    const state = stateAt(turn, bytes)
    budget.show(state)
    slider?.show(state)
    prompt.show(state)
  }
  const notices = turn.lacks.map((text) => element('p.notice', {}, text))
  const nodes = [
    ...changes,
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
    ...reportParts(turn),
  ]
  return { nodes, start: () => show(budgetAsSent(turn)), redraw: () => budget.show(stateAt(turn, shown)) }
}

/** Shows one prompt at a time in an element. Drawings follow its width and the colours. @param {HTMLElement} place */
const turnPlace = (place) => {
  /** @type {ReturnType<typeof turnView> | undefined} */
  let shown
  const redraw = () => shown?.redraw()
  window.addEventListener('resize', redraw)
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)
  return (/** @type {Turn} */ turn, /** @type {Memory} */ memory, /** @type {HTMLElement[]} */ changes = []) => {
    shown = turnView(turn, memory, changes)
    place.replaceChildren(...shown.nodes)
    shown.start()
  }
}

module.exports = { emptyMemory, turnPlace }
