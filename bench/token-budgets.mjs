/**
 * Prompts with a budget in tokens.
 *
 * - A session: each turn adds a message of 1 KB and makes a prompt of at most 16,000 tokens. Against
 *   JavaScript that keeps the bytes and the tokens of each line, counts each once with gpt-tokenizer,
 *   and joins what fits.
 * - One prompt of 200,000 tokens whose messages have been counted, against the same prompt with a
 *   budget in bytes.
 * - Without state, newest first, against gpt-tokenizer without state, and against LangChain's
 *   `trimMessages` with gpt-tokenizer as its counter.
 *
 *     node --expose-gc bench/token-budgets.mjs [--quick]     the tables alone; `npm run bench` has them too
 */
import { pathToFileURL } from 'node:url'
import { ContextManager, CodexContextAssembler, countTokens } from '../index.js'
import { cpuTime, shuffle, timingOf } from './measure.mjs'
import { targetTable, tokenBudgetTables } from './report.mjs'
import { tokenBudgetVerdicts } from './targets.mjs'
import { messagesOf } from './token-texts.mjs'

/**
 * @typedef {import('./measure.mjs').Timing} Timing
 * @typedef {{ id: string, title: string, entries: ({ name: string } & Timing)[] }} Compared Milliseconds of a turn or a prompt.
 * @typedef {{ sessions: Compared[], large: Compared[], stateless: Compared[], missing: string[] }} TokenBudgets
 */

export const SESSION_TOKENS = 16_000
const LARGE_TOKENS = 200_000
const KINDS = /** @type {const} */ (['English', 'code', 'CJK'])
const SIZES = { quick: { rounds: 3, turns: 40, history: 200 }, full: { rounds: 7, turns: 60, history: 200 } }

const SPEAKERS = ['max', 'sarah', 'lee']
const speakerOf = (index) => SPEAKERS[index % SPEAKERS.length]
const messageOf = (content, index) => ({
  speaker: { id: speakerOf(index), name: speakerOf(index), type: 'human' },
  content,
  routing: { resolvedAddressees: [{ identifier: 'all' }] },
})
const TASK = 'Ship the search page this week.'

/** Loads what is installed in this folder. */
async function load(name, use) {
  try {
    return use(await import(name))
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error
    return undefined
  }
}

/** A session with this package. */
function ourSession() {
  const manager = new ContextManager({ contextWindowSize: 100_000, maxTokens: SESSION_TOKENS })
  manager.setTeamTask(TASK)
  let count = 0
  return {
    add: (content) => {
      manager.addMessage(messageOf(content, count++))
    },
    prompt: () => manager.assembleForAgent('max', 'codex', undefined, { as: 'buffer' }).prompt,
  }
}

/** What a careful developer would write in JavaScript: every line is encoded and counted once. */
function javaScriptSession(count) {
  const head = Buffer.from(`[TEAM_TASK]\n${TASK}\n\n[CONTEXT]\n`)
  const between = Buffer.from('\n\n[MESSAGE]\n')
  const lines = []
  const headTokens = count(`[TEAM_TASK]\n${TASK}\n\n[CONTEXT]\n`) + count('\n\n[MESSAGE]\n')
  let current
  return {
    add: (content) => {
      if (current) {
        const text = `- ${speakerOf(lines.length)} -> all: ${current.text}\n`
        // The content was counted when it was added; only the text around it is new.
        lines.push({ bytes: Buffer.from(text), tokens: current.tokens + 8 })
      }
      current = { text: content, bytes: Buffer.from(content), tokens: count(content) }
    },
    prompt: () => {
      let left = SESSION_TOKENS - headTokens - current.tokens
      let first = lines.length
      while (first > 0 && lines[first - 1].tokens <= left) left -= lines[--first].tokens
      const kept = lines.slice(first).map(({ bytes }) => bytes)
      return Buffer.concat([head, ...kept, between, current.bytes])
    },
  }
}

/** A turn of each session, after the history has grown beyond the budget. */
function measureSession(kind, makers, { rounds, turns, history }) {
  const messages = messagesOf(kind, history + rounds * turns)
  const sessions = makers.map(({ name, make }) => ({ name, session: make(), times: [] }))
  for (const { session } of sessions) {
    for (const message of messages.slice(0, history)) {
      session.add(message)
      session.prompt()
    }
  }
  for (let round = 0; round < rounds; round++) {
    const start = history + round * turns
    for (const { session, times } of shuffle(sessions)) {
      globalThis.gc?.()
      session.prompt()
      const time = cpuTime(() => {
        for (const message of messages.slice(start, start + turns)) {
          session.add(message)
          session.prompt()
        }
      })
      times.push(time / turns)
    }
  }
  const lengths = sessions.map(({ session }) => session.prompt().length)
  if (Math.max(...lengths) > 1.2 * Math.min(...lengths))
    throw new Error(`${kind}: prompts of very different sizes: ${lengths}`)
  return {
    id: kind,
    title: kind,
    entries: sessions.map(({ name, times }) => Object.assign({ name }, timingOf(times, turns))),
  }
}

/** Prompts that are made repeatedly, in turn. */
function measureInTurns(id, title, entries, rounds) {
  const timed = entries.map((entry) => ({ ...entry, times: [] }))
  for (const { run } of timed) run()
  for (let round = 0; round < rounds; round++) {
    for (const { run, calls, times } of shuffle(timed)) {
      globalThis.gc?.()
      run()
      times.push(
        cpuTime(() => {
          for (let call = 0; call < calls; call++) run()
        }) / calls,
      )
    }
  }
  return { id, title, entries: timed.map(({ name, calls, times }) => Object.assign({ name }, timingOf(times, calls))) }
}

function measureLarge(kind, rounds) {
  const budgets = { contextWindowSize: 100_000, maxBytes: 64 << 20 }
  const counted = new ContextManager({ ...budgets, maxTokens: LARGE_TOKENS })
  const contents = messagesOf(kind, 100)
  const needed = Math.ceil((1.2 * LARGE_TOKENS) / (countTokens(contents.join('\n'), 'o200k') / contents.length))
  for (let index = 0; index < needed; index++)
    counted.addMessage(messageOf(contents[index % contents.length] ?? '', index))
  const { report, prompt } = counted.assembleForAgent('max', 'codex', undefined, { report: true })
  // A budget in bytes that keeps the same messages.
  const plain = new ContextManager({ ...budgets, maxBytes: report.totalBytes })
  for (const { speaker, content, routing } of counted.getMessages()) plain.addMessage({ speaker, content, routing })
  const assemble = (manager) => () => manager.assembleForAgent('max', 'codex', undefined, { as: 'buffer' })
  if (plain.assembleForAgent('max', 'codex').prompt !== prompt) throw new Error('the budgets keep different messages')
  return measureInTurns(
    kind,
    `${kind}, ${report.totalTokens} tokens`,
    [
      { name: 'tokens', run: assemble(counted), calls: 20 },
      { name: 'bytes', run: assemble(plain), calls: 20 },
    ],
    rounds,
  )
}

const TRIMMED_MESSAGES = 100

const lineOf = ({ from, to, content }) => `- ${from} -> ${to}: ${content}`

/** The newest messages that fit, counted newest first. */
function newestFirst(count, history, current) {
  let left = SESSION_TOKENS - count(`[TEAM_TASK]\n${TASK}\n\n[CONTEXT]\n`) - count(`\n\n[MESSAGE]\n${current}`)
  const kept = []
  for (const message of history.toReversed()) {
    const line = lineOf(message)
    left -= count(`${line}\n`)
    if (left < 0) break
    kept.push(line)
  }
  return promptOf(kept.toReversed(), current)
}

/** The same, counting everything first. */
function allCounted(count, history, current) {
  const lines = history.map(lineOf)
  const tokens = lines.map((line) => count(`${line}\n`))
  let left = SESSION_TOKENS - count(`[TEAM_TASK]\n${TASK}\n\n[CONTEXT]\n`) - count(`\n\n[MESSAGE]\n${current}`)
  let first = lines.length
  while (first > 0 && tokens[first - 1] <= left) left -= tokens[--first]
  return promptOf(lines.slice(first), current)
}

const promptOf = (lines, current) => `[TEAM_TASK]\n${TASK}\n\n[CONTEXT]\n${lines.join('\n')}\n\n[MESSAGE]\n${current}`

/** LangChain's `trimMessages`, with gpt-tokenizer as its counter. */
async function langChain(count) {
  return load(
    '@langchain/core/messages',
    ({ HumanMessage, trimMessages }) =>
      (history, current) =>
        trimMessages(
          history.map((message) => new HumanMessage(lineOf(message))),
          {
            maxTokens: SESSION_TOKENS - count(current),
            strategy: 'last',
            tokenCounter: (messages) => messages.reduce((sum, { content }) => sum + count(`${content}\n`), 0),
          },
        ),
  )
}

async function measureStateless(kind, count, rounds) {
  const contents = messagesOf(kind, 250)
  const contextMessages = Array.from({ length: 1000 }, (_, index) => ({
    from: speakerOf(index),
    to: 'all',
    content: contents[index % contents.length],
  }))
  const current = contents[0]
  const assembler = new CodexContextAssembler()
  const input = {
    contextMessages,
    currentMessage: current,
    teamTask: TASK,
    maxBytes: 64 << 20,
    maxTokens: SESSION_TOKENS,
  }
  const trim = await langChain(count)
  const entries = [
    { name: 'promptmason', run: () => assembler.assemble(input), calls: 20 },
    { name: 'gpt-tokenizer, newest first', run: () => newestFirst(count, contextMessages, current), calls: 3 },
    { name: 'gpt-tokenizer, everything', run: () => allCounted(count, contextMessages, current), calls: 1 },
  ]
  const compared = measureInTurns(kind, kind, entries, rounds)
  if (!trim) return compared
  // With all messages it would take half a minute.
  const start = process.cpuUsage()
  await trim(contextMessages.slice(-TRIMMED_MESSAGES), current)
  const { user, system } = process.cpuUsage(start)
  return {
    ...compared,
    entries: [
      ...compared.entries,
      { name: `trimMessages, gpt-tokenizer, ${TRIMMED_MESSAGES} messages`, ...timingOf([(user + system) / 1000], 1) },
    ],
  }
}

/** One after another: they would disturb each other. */
const inOrder = (list, run) =>
  list.reduce(async (before, one) => [...(await before), await run(one)], Promise.resolve([]))

/**
 * @param {keyof typeof SIZES} mode
 * @returns {Promise<TokenBudgets>}
 */
export async function measureTokenBudgets(mode) {
  const sizes = SIZES[mode]
  const count = await load(
    'gpt-tokenizer/encoding/o200k_base',
    ({ countTokens: peer }) =>
      (text) =>
        peer(text),
  )
  const makers = [{ name: 'promptmason', make: ourSession }]
  if (count) makers.push({ name: 'JavaScript, gpt-tokenizer', make: () => javaScriptSession(count) })
  return {
    sessions: KINDS.map((kind) => measureSession(kind, makers, sizes)),
    large: KINDS.map((kind) => measureLarge(kind, sizes.rounds + 4)),
    stateless: count ? await inOrder(KINDS, (kind) => measureStateless(kind, count, sizes.rounds)) : [],
    missing: count ? [] : ['gpt-tokenizer'],
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const budgets = await measureTokenBudgets(process.argv.includes('--quick') ? 'quick' : 'full')
  console.log(tokenBudgetTables(budgets))
  console.log(targetTable(tokenBudgetVerdicts(budgets)))
}
