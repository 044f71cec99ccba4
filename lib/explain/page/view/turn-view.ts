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

/** @param changes What changed since an earlier prompt. */
const turnView = (turn: Turn, memory: Memory, changes: HTMLElement[]) => {
  const budget = budgetView(turn)
  const prompt = promptView(turn, memory)
  const slider = sliderView(turn, (size) => show(size))
  let state = stateAt(turn, budgetAsSent(turn))
  const show = (size: number) => {
    state = stateAt(turn, size)
    budget.show(state)
    slider?.show(state)
    prompt.show(state)
  }
  const notices = turn.lacks.map((text) => element('p.notice', text))
  const sliders = slider === null ? [] : [slider.body]
  const nodes = [
    ...changes,
    section('Budget', [headline(turn), ...sliders, budget.body, ...notices], 'budget'),
    ...(prompt.isEmpty ? [] : [section('Prompt, with what was cut', [prompt.body], 'prompt')]),
    ...reportParts(turn),
  ]
  return { nodes, start: () => show(budgetAsSent(turn)), redraw: () => budget.show(state) }
}

/** Shows one prompt at a time in an element. Drawings follow its width and the colours. */
export const turnPlace = (place: HTMLElement) => {
  let shown: ReturnType<typeof turnView> | undefined
  const redraw = () => shown?.redraw()
  window.addEventListener('resize', redraw)
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)
  return (turn: Turn, memory: Memory, changes: HTMLElement[] = []) => {
    shown = turnView(turn, memory, changes)
    place.replaceChildren(...shown.nodes)
    shown.start()
  }
}
