/** Summaries that the caller makes of what a member's next prompt would leave out. */
import { type Limits, waitFor } from './waiting.js'
import type { AgentContextOptions } from '../manager/options.js'
import type { ConversationMessage } from '../messages/messages.js'
import type { ConversationState } from './state.js'

/** The input of `summarise`. */
export interface SummariseInput {
  /** Messages that the member's prompt leaves out, oldest first. */
  messages: ConversationMessage[]
  /** The current summary, which the new one replaces. */
  previous: string | undefined
  /** The member the summary is for. */
  member: string
  signal: AbortSignal
}

/** Summarises what the next prompt would leave out, if anything. */
export const makeSummary = async (
  state: ConversationState,
  name: string,
  layout: string,
  options: AgentContextOptions,
  limits: Limits,
) => {
  const { manager } = state
  const { summarise } = state.options
  const { messages, upTo } = manager.overflow(name, layout, options)
  if (upTo === null || summarise === undefined) return
  const previous = manager.getSummary(name)?.text
  const text = await waitFor(name, limits, (signal): unknown =>
    Reflect.apply(summarise, state.given, [{ messages, previous, member: name, signal }]),
  )
  if (typeof text !== 'string') throw new TypeError(`summarise must return a string, got ${typeof text}`)
  await state.write({ type: 'summary', member: name, upTo, text })
  state.emit({ type: 'summarised', member: name, messages: messages.length, upTo })
}
