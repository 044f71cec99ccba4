/** The turns of one member, sent to simulated caches with and without marks. */
import {
  AnthropicCache,
  OpenAiCache,
  type Usage,
  billed,
  blocksOf,
  commonTokens,
  systemText,
  talkOver,
} from './simulator.js'

/** The totals of all turns. */
export interface Simulated {
  /** Tokens of all requests. */
  input: number
  /** The average share of a turn's input that the previous turn began with. */
  prefixShare: number
  /** Tokens billed at the price of input. */
  billed: Record<'no marks' | 'a mark on the last message' | 'cache: auto' | 'OpenAI', number>
}

/** Runs the conversation, for `claude-sonnet-4-5`. */
export const simulate = (turns: number, evictionStep: number, contextWindowSize = 240): Simulated => {
  const MINIMUM = 1024
  const caches = { last: new AnthropicCache(MINIMUM), auto: new AnthropicCache(MINIMUM), openAi: new OpenAiCache() }
  const sums = { input: 0, last: 0, auto: 0, openAi: 0, share: 0 }
  const systemInstruction = systemText(1500)
  let before: ReturnType<typeof blocksOf> = []
  talkOver(turns, { contextWindowSize, evictionStep }, (manager) => {
    const form = { as: 'anthropic', model: 'claude-sonnet-4-5' } as const
    const marked = blocksOf(manager.assembleForAgent('sarah', 'claude', { systemInstruction }, form))
    const bare = marked.map((block) => ({ ...block, isMarked: false }))
    const lastMarked = bare.map((block, at) => ({ ...block, isMarked: at === bare.length - 1 }))
    const auto: Usage = caches.auto.send(marked)
    sums.input += auto.input
    sums.auto += billed(auto)
    sums.last += billed(caches.last.send(lastMarked))
    sums.openAi += billed(caches.openAi.send(bare))
    sums.share += commonTokens(before, bare) / auto.input
    before = bare
  })
  return {
    input: sums.input,
    prefixShare: sums.share / turns,
    billed: {
      'no marks': sums.input,
      'a mark on the last message': sums.last,
      'cache: auto': sums.auto,
      OpenAI: sums.openAi,
    },
  }
}
