/** One prompt: its budget, what changed, its texts, and what the report says. */
import { budgetAsSent, stateAt } from '../state.js'
import { agentText, counted, grouped, tokensText } from '../words.js'
import { budgetView } from './budget-view.js'
import { element, section } from './dom.js'
import { promptView } from './prompt-view.js'
import { reportParts } from './report-view.js'
import { sliderView } from './slider-view.js'
import type { Turn } from '../../turn.js'
import type { Memory } from './message-list.js'

export const emptyMemory = (): Memory => ({ search: '', filter: '', open: new Set() })

const headline = ({ report, unit }: Turn) => {
  const who = agentText(report)
  const flag = report.systemFlagBytes > 0 ? `, ${grouped(report.systemFlagBytes)} of them in the system flag` : ''
  const bytes = `${grouped(report.totalBytes)} of ${counted(report.maxBytes, 'byte')}${flag}`
  if (report.totalTokens === undefined) return element('p', `For ${who}: ${bytes}.`)
  const [first, second] = unit === 'tokens' ? [tokensText(report), bytes] : [bytes, tokensText(report)]
  const limited = report.limitedBy === undefined ? '' : ` Limited by ${report.limitedBy}.`
  return element('p', `For ${who}: ${first}; ${second}.${limited}`)
}

/**
 * Shows a prompt in an element.
 * @param changes What changed since an earlier prompt.
 */
export const showTurn = (place: HTMLElement, turn: Turn, memory: Memory, changes: HTMLElement[] = []) => {
  const budget = budgetView(turn)
  const prompt = promptView(turn, memory)
  const show = (size: number) => {
    const state = stateAt(turn, size)
    budget.show(state)
    slider?.show(state)
    prompt.show(state)
  }
  const slider = sliderView(turn, show)
  const sliders = slider === null ? [] : [slider.body]
  const notices = turn.lacks.map((text) => element('p.notice', text))
  place.replaceChildren(
    ...changes,
    section('Budget', [headline(turn), ...sliders, budget.body, ...notices], 'budget'),
    ...(prompt.isEmpty ? [] : [section('Prompt, with what was cut', [prompt.body], 'prompt')]),
    ...reportParts(turn),
  )
  show(budgetAsSent(turn))
}
