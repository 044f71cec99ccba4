/** One prompt: its budget, what changed, its texts, and what the report says. */
import { budgetAsSent, stateAt } from '../state.js'
import { agentText, counted, grouped, tokensText } from '../words.js'
import { budgetView } from './budget-view.js'
import { element } from './dom.js'
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
const turnView = (
  turn: Turn,
  memory: Memory,
  changes: HTMLElement[] = [],
): { nodes: HTMLElement[]; start(): void; redraw(): void } => {
  const budget = budgetView(turn)
  const prompt = promptView(turn, memory)
  const slider = sliderView(turn, (bytes) => show(bytes))
  let shown = budgetAsSent(turn)
  const show = (bytes: number) => {
    shown = bytes
    const state = stateAt(turn, bytes)
    budget.show(state)
    slider?.show(state)
    prompt.show(state)
  }
  const notices = turn.lacks.map((text) => element('p.notice', text))
  const nodes = [
    ...changes,
    element(
      'section',
      { id: 'budget' },
      element('h2', 'Budget'),
      headline(turn),
      ...(slider === null ? [] : [slider.body]),
      budget.body,
      ...notices,
    ),
    ...(prompt.isEmpty
      ? []
      : [element('section', { id: 'prompt' }, element('h2', 'Prompt, with what was cut'), prompt.body)]),
    ...reportParts(turn),
  ]
  return { nodes, start: () => show(budgetAsSent(turn)), redraw: () => budget.show(stateAt(turn, shown)) }
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
