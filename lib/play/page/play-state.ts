/** Above the result: what was made in one sentence, or what is wrong. */
import { budgetAsSent, fatesOf, isSent } from '../../explain/page/state.js'
import { counted, grouped, partName, reasonText, sizeIn, totalOf, visibleLine } from '../../explain/page/words.js'
import { button, element } from '../../explain/page/view/dom.js'
import type { Unit } from '../../explain/page/words.js'
import type { Made, Problem } from '../answer.js'

const KINDS: { [kind: string]: string } = {
  buildPrompt: 'a PromptInput',
  assembler: 'an AssemblerInput',
  snapshot: 'a snapshot',
}

const sentence = ({ kind, turn }: Made) => {
  const { report, unit, messages } = turn
  const kept = fatesOf(turn, null).filter(isSent).length
  const cut = report.sections.filter(({ name, action }) => action !== 'kept' && name !== 'context')
  const others = ['window', 'recipient'].flatMap((reason) => {
    const count = report.leftOut.reduce((sum, entry) => sum + (entry.reason === reason ? entry.count : 0), 0)
    return count === 0 ? [] : [`${grouped(count)} ${reasonText(reason)}`]
  })
  const agent = report.agentType === 'unknown' ? 'plain text' : visibleLine(report.agentType)
  return [
    `From ${KINDS[kind]}, for ${agent}: ${grouped(totalOf(report, unit))} of ${sizeIn(budgetAsSent(turn), unit)}`,
    `${grouped(kept)} of ${counted(messages.length, 'message')} sent`,
    ...others,
    ...cut.map(({ name, action }) => `${partName(name)} ${action}`),
  ].join('; ')
}

/**
 * @param onSelect Shows where a mistake is.
 * @param onBudget Takes another budget.
 */
export const stateView = (
  onSelect: (line: number, column: number) => void,
  onBudget: (unit: Unit, budget: number) => void,
) => {
  const text = element('p')
  const tools = element('div')
  const node = element('div.state', element('div', { role: 'status', 'aria-live': 'polite' }, text), tools)
  const show = (state: string, says: string, buttons: HTMLElement[] = []) => {
    node.dataset.state = state
    text.textContent = says
    tools.replaceChildren(...buttons)
  }
  return {
    node,
    working: () => show('working', 'Assembling the prompt …'),
    made(made: Made) {
      const warnings = made.warnings.map((warning) => ` ${visibleLine(warning)}`).join('')
      show('made', `${sentence(made)}.${warnings}`)
    },
    problem({ message, line, column, required, unit }: Problem) {
      const buttons: HTMLElement[] = []
      if (line !== undefined && column !== undefined)
        buttons.push(button('Show the error', () => onSelect(line, column)))
      if (required !== undefined && unit !== undefined)
        buttons.push(button(`Use ${sizeIn(required, unit)}`, () => onBudget(unit, required)))
      show('problem', visibleLine(message), buttons)
    },
  }
}
