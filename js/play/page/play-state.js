'use strict'
/** Above the result: what was made in one sentence, or what is wrong. */
const { isSent, fatesOf } = require('../../explain/page/state.js')
const { visibleLine } = require('../../explain/page/visible.js')
const { counted, grouped, partName, reasonText, sizeIn } = require('../../explain/page/words.js')
const { element } = require('../../explain/page/view/dom.js')

/** @typedef {import('../answer.js').Made} Made */
/** @typedef {import('../answer.js').Problem} Problem */

/** @type {{ [kind: string]: string }} */
const KINDS = { buildPrompt: 'a PromptInput', assembler: 'an AssemblerInput', snapshot: 'a snapshot' }

/** @param {Made} made */
const sentence = ({ kind, turn }) => {
  const { report, unit, messages } = turn
  const [total, most] =
    unit === 'tokens' ? [report.totalTokens ?? 0, report.maxTokens ?? 0] : [report.totalBytes, report.maxBytes]
  const kept = fatesOf(turn, null).filter(isSent).length
  const cut = report.sections.filter(({ name, action }) => action !== 'kept' && name !== 'context')
  const others = ['window', 'recipient'].flatMap((reason) => {
    const count = report.leftOut.reduce((sum, entry) => sum + (entry.reason === reason ? entry.count : 0), 0)
    return count === 0 ? [] : [`${grouped(count)} ${reasonText(reason)}`]
  })
  const agent = report.agentType === 'unknown' ? 'plain text' : visibleLine(report.agentType)
  return [
    `From ${KINDS[kind]}, for ${agent}: ${grouped(total)} of ${sizeIn(most, unit)}`,
    `${grouped(kept)} of ${counted(messages.length, 'message')} sent`,
    ...others,
    ...cut.map(({ name, action }) => `${partName(name)} ${action}`),
  ].join('; ')
}

/** @param {{ onSelect(line: number, column: number): void, onBudget(unit: 'bytes' | 'tokens', budget: number): void }} actions */
const stateView = ({ onSelect, onBudget }) => {
  const text = element('p')
  const tools = element('div')
  const node = element('div.state', {}, element('div', { role: 'status', 'aria-live': 'polite' }, text), tools)
  const show = (/** @type {string} */ state, /** @type {string} */ says, /** @type {HTMLElement[]} */ buttons = []) => {
    node.dataset.state = state
    text.textContent = says
    tools.replaceChildren(...buttons)
  }
  const button = (/** @type {string} */ label, /** @type {() => void} */ onClick) => {
    const made = element('button', { type: 'button' }, label)
    made.addEventListener('click', onClick)
    return made
  }
  return {
    node,
    working: () => show('working', 'Assembling the prompt …'),
    made(/** @type {Made} */ made) {
      const warnings = made.warnings.map((warning) => ` ${visibleLine(warning)}`).join('')
      show('made', `${sentence(made)}.${warnings}`)
    },
    problem(/** @type {Problem} */ { message, line, column, required, unit }) {
      const where =
        line === undefined || column === undefined ? [] : [button('Show the error', () => onSelect(line, column))]
      const enough =
        required === undefined || unit === undefined
          ? []
          : [button(`Use ${sizeIn(required, unit)}`, () => onBudget(unit, required))]
      show('problem', visibleLine(message), [...where, ...enough])
    },
  }
}

module.exports = { stateView }
