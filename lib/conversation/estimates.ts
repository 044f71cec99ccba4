/**
 * Token estimates that learn from what a CLI reports.
 *
 * A CLI adds its own system prompt and tools to every request, and a session contains what was said
 * before. Both are in the input of the session's previous turn. What this turn sent is therefore its
 * input minus the previous turn's input and answer. This only works if a turn is one request: with
 * tools, the CLI reports the sum of several, and nothing is learned.
 */
import { calibrate } from '../tokens/calibrate.js'
import { LayoutAssembler } from '../prompts/assemblers.js'
import { buildPrompt } from '../prompts/build-prompt.js'
import type { CliUsage } from '../delivery/events.js'
import type { ModelApi } from '../prompts/model-requests.js'
import type { TokenEstimate } from '../tokens/tokenizer.js'
import type { MemberTokenizer } from './member.js'

/** A low value, so that prompts are too short rather than too long until something has been learned. */
const FIRST_ESTIMATE = { bytesPerToken: 3 }
/** No text that people write is outside this range of bytes per token. */
const PLAUSIBLE = { min: 0.5, max: 16 }

/** The tokenizer of a member with a budget: its own, that of its API or layout, or an estimate. */
export const firstTokenizer = (
  { maxTokens, tokenizer, as }: { maxTokens?: number; tokenizer?: MemberTokenizer; as?: ModelApi },
  layout: string,
): MemberTokenizer | undefined => {
  if (tokenizer !== undefined || maxTokens === undefined) return tokenizer
  const budget = { contextMessages: [], maxBytes: 1000, maxTokens: 1000 }
  try {
    if (as === undefined) LayoutAssembler.for(layout).assemble({ ...budget, currentMessage: 'x', teamTask: null })
    else buildPrompt({ ...budget, message: 'x' }, { as })
    return undefined
  } catch {
    return FIRST_ESTIMATE
  }
}

/** The tokens of a session after a turn, if that was one request: what the next turn's input begins with. */
export const tokensAfter = (usage: CliUsage | undefined) => {
  if (usage?.inputTokens === undefined || usage.outputTokens === undefined) return undefined
  return usage.inputTokens + usage.outputTokens - (usage.reasoningTokens ?? 0)
}

export const learned = ({
  tokenizer,
  sent,
  usage,
  isOneRequest,
  tokensBefore,
}: {
  tokenizer: MemberTokenizer | undefined
  sent: { text: string } | { bytes: number }
  usage: CliUsage | undefined
  isOneRequest: boolean
  /** Tokens of the session; 0 if the usage covers the text alone. */
  tokensBefore: number | undefined
}): TokenEstimate | undefined => {
  if (typeof tokenizer !== 'object') return undefined
  const { inputTokens } = usage ?? {}
  if (!isOneRequest || inputTokens === undefined || tokensBefore === undefined) return tokenizer
  const tokens = inputTokens - tokensBefore
  const bytesPerToken = ('text' in sent ? Buffer.byteLength(sent.text) : sent.bytes) / tokens
  if (!(bytesPerToken >= PLAUSIBLE.min && bytesPerToken <= PLAUSIBLE.max)) return tokenizer
  return calibrate(tokenizer, { tokens, ...sent })
}
