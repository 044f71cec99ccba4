/**
 * Simulates how providers' caches handle a member's requests over many turns, by the rules in the providers' guides
 * (2026-11-18), independent of the package. Nothing is sent.
 */
import { createHash } from 'node:crypto'
import { ContextManager, type MessagePart, countTokens } from 'promptmason'
import { numbersOf } from './lists.js'

/** A block of a request, and whether it is marked. */
interface SimulatedBlock {
  json: string
  tokens: number
  isMarked: boolean
}

/** Tokens of one request: what is billed is `uncached + write × written + read × cached`. */
export interface Usage {
  input: number
  cached: number
  written: number
}

const known = new Map<string, number>()
/** A conversation comes again from turn to turn. */
const tokensOf = (json: string): number => {
  const tokens = known.get(json) ?? countTokens(json, 'o200k')
  known.set(json, tokens)
  return tokens
}

/** The blocks of a request to Anthropic, each with its place, so that other roles are other blocks. */
export const blocksOf = (request: any): SimulatedBlock[] => {
  const system = (request.system ?? []).map((block: any) => ['system', block])
  const said = request.messages.flatMap(({ role, content }: any) => content.map((block: any) => [role, block]))
  return [...system, ...said].map(([role, { cache_control, ...block }]) => {
    const json = JSON.stringify([role, block])
    return { json, tokens: tokensOf(json), isMarked: cache_control !== undefined }
  })
}

/** The hashes of all beginnings. */
const beginningsOf = (blocks: SimulatedBlock[]): string[] => {
  let before = ''
  return blocks.map(({ json }) => (before = createHash('sha256').update(before).update(json).digest('base64')))
}

const sumOf = (blocks: SimulatedBlock[]): number => blocks.reduce((sum, { tokens }) => sum + tokens, 0)

/** Anthropic: only marks are cached; from each mark, 20 blocks are compared with what was cached. */
export class AnthropicCache {
  #cached = new Set<string>()

  constructor(
    private readonly minimum: number,
    private readonly lookback = 20,
  ) {}

  send(blocks: SimulatedBlock[]): Usage {
    const beginnings = beginningsOf(blocks)
    const marks = blocks.flatMap(({ isMarked }, at) => (isMarked ? [at] : []))
    if (marks.length > 4) throw new Error('A request has at most four marks')
    const isLong = (at: number) => sumOf(blocks.slice(0, at + 1)) >= this.minimum
    const allowed = marks.filter(isLong)
    let hit = -1
    for (const mark of allowed)
      for (let at = mark; at > mark - this.lookback && at > hit; at--)
        if (this.#cached.has(beginnings[at] as string)) hit = at
    for (const mark of allowed) this.#cached.add(beginnings[mark] as string)
    const cached = sumOf(blocks.slice(0, hit + 1))
    const end = allowed.at(-1) ?? -1
    return { input: sumOf(blocks), cached, written: Math.max(0, sumOf(blocks.slice(0, end + 1)) - cached) }
  }
}

/** OpenAI: the beginning that was sent before is cached by itself, in steps of 128 tokens, from 1,024 on. */
export class OpenAiCache {
  #before: SimulatedBlock[] = []

  send(blocks: SimulatedBlock[]): Usage {
    const common = commonTokens(this.#before, blocks)
    this.#before = blocks
    return { input: sumOf(blocks), cached: common < 1024 ? 0 : common - (common % 128), written: 0 }
  }
}

/** Tokens of the blocks that two requests begin with. */
export const commonTokens = (one: SimulatedBlock[], other: SimulatedBlock[]): number => {
  const end = other.findIndex(({ json }, at) => json !== one[at]?.json)
  return sumOf(end < 0 ? other : other.slice(0, end))
}

/** Tokens billed at the price of input: reading costs a tenth, writing to Anthropic for five minutes 1.25. */
export const billed = ({ input, cached, written }: Usage): number =>
  input - cached - written + 0.1 * cached + 1.25 * written

const WORDS =
  'the token store moves from memory to redis because sessions must survive a restart and tests read it'.split(' ')

/** A team of three talks for many turns of one member; `onTurn` is called with the manager before each of its answers. */
export const talkOver = (
  turns: number,
  settings: { contextWindowSize: number; evictionStep: number },
  onTurn: (manager: ContextManager) => void,
): void => {
  const number = numbersOf(340)
  const text = (words: number) => Array.from({ length: words }, () => WORDS[number(WORDS.length)]).join(' ')
  const manager = new ContextManager({ ...settings, maxBytes: 4_000_000 })
  manager.setTeamTask(text(120))
  const say = (id: string, parts: MessagePart[]) =>
    manager.addMessage({ speaker: { id, name: id, type: id === 'kailai' ? 'human' : 'ai' }, parts } as any)
  const tool = (id: string): MessagePart[] => [
    { type: 'tool-call', id, name: 'read_file', input: { path: `src/${text(1)}.ts` } },
    { type: 'tool-result', id, output: text(20 + number(300)) },
  ]
  for (let turn = 0; turn < turns; turn++) {
    // Sometimes, others add more blocks than a provider looks back.
    const others = turn % 20 === 19 ? 26 : 1 + number(2)
    for (let said = 0; said < others; said++)
      say(said === 0 ? 'kailai' : 'max', [{ type: 'text', text: text(10 + number(120)) }])
    onTurn(manager)
    const calls = Array.from({ length: number(3) }, (_, at) => tool(`call-${turn}-${at}`)).flat()
    say('sarah', [{ type: 'text', text: text(8) }, ...calls, { type: 'text', text: text(20 + number(120)) }])
  }
}

/** What a system text of this many words says. */
export const systemText = (words: number): string =>
  Array.from({ length: words }, (_, at) => WORDS[(at * 7) % WORDS.length]).join(' ')
