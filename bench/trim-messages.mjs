/* oxlint-disable no-await-in-loop -- one after another: they would disturb each other */
/**
 * `trimMessages` compared with `trimMessages` of @langchain/core and `pruneMessages` of the AI SDK.
 *
 * - Speed: a list of 1,000 messages of an agent with tools, counted with o200k.
 * - Rules: the same generated lists, each with a budget that suffices. Counts the results that break a
 *   rule of the API, using the checkers of the tests, and those that exceed the budget.
 *
 *     node --import tsx bench/trim-messages.mjs [--lists=10000]
 */
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  trimMessages as trimOfLangChain,
} from '@langchain/core/messages'
import { pruneMessages } from 'ai'
import { getEncoding } from 'js-tiktoken'
import { APIS, brokenBy, conversationOf, listOf, numbersOf } from '../__test__/arrays/lists.ts'
import { countTokens, trimMessages } from '../index.js'

const listsArgument = process.argv.find((argument) => argument.startsWith('--lists='))
const LISTS = Number(listsArgument?.slice('--lists='.length) ?? 10_000)
const SPEED_MESSAGES = 1000
/** Tokens around texts, as in `src/arrays/apis/openai.rs`, so that both sides count the same. */
const COSTS = { request: 3, message: 4, part: 1, call: 14, result: 12 }

/** A chat message as a LangChain message, with the original. */
const langChainMessage = (message) => {
  const fields = { content: message.content ?? '', additional_kwargs: { given: message } }
  switch (message.role) {
    case 'system':
      return new SystemMessage(fields)
    case 'user':
      return new HumanMessage(fields)
    case 'tool':
      return new ToolMessage({ ...fields, tool_call_id: message.tool_call_id })
    default: {
      const calls = message.tool_calls ?? []
      const tool_calls = calls.map((call) => ({
        id: call.id,
        name: call.function.name,
        args: JSON.parse(call.function.arguments),
      }))
      return new AIMessage({ ...fields, tool_calls })
    }
  }
}
/** The tokens of a message, given a function that counts those of a text. */
const tokensOf = ({ additional_kwargs: { given } }, count) => {
  const { content, role, tool_calls: calls = [] } = given
  const called = calls.reduce((sum, call) => sum + COSTS.call + count(JSON.stringify(call.function)), 0)
  const written = content === null ? 0 : COSTS.part + count(content)
  return COSTS.message + written + called + (role === 'tool' ? COSTS.result : 0)
}

const encoding = getEncoding('o200k_base')
/** Counts every text on every call, as the examples in LangChain's documentation do. */
const plainCounter = (messages) =>
  messages.reduce(
    (sum, message) => sum + tokensOf(message, (text) => encoding.encode(text, [], []).length),
    COSTS.request,
  )
/** Counts each message once, with our own tokenizer: the fastest possible counter. */
const rememberingCounter = () => {
  const known = new Map()
  const remembered = (message) => {
    if (!known.has(message))
      known.set(
        message,
        tokensOf(message, (text) => countTokens(text, 'o200k')),
      )
    return known.get(message)
  }
  return (messages) => messages.reduce((sum, message) => sum + remembered(message), COSTS.request)
}

/** As LangChain's documentation recommends for chat models. */
const RECOMMENDED = { strategy: 'last', startOn: 'human', endOn: ['human', 'tool'], includeSystem: true }
const DEFAULTS = { strategy: 'last' }

/** The messages that it keeps, which may include `undefined`. */
const langChain = async (list, maxTokens, tokenCounter, options) => {
  const kept = await trimOfLangChain(list.map(langChainMessage), { maxTokens, tokenCounter, ...options })
  return kept.map((message) => message?.additional_kwargs.given)
}

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]
const timed = async (runs, run) => {
  const times = []
  for (let at = 0; at < runs; at++) {
    const start = process.hrtime.bigint()
    await run()
    times.push(Number(process.hrtime.bigint() - start) / 1e6)
  }
  return median(times)
}

/** A list of about this many messages. */
const longList = (api, messages) => {
  for (let turns = 50; ; turns *= 2) {
    const conversation = { ...conversationOf(1, 1), turns: [] }
    for (let seed = 0; conversation.turns.length < turns; seed++) conversation.turns.push(...conversationOf(seed).turns)
    conversation.turns = conversation.turns.map((turn, at) => ({
      ...turn,
      steps: turn.steps.map((step) => ({
        ...step,
        calls: step.calls.map((call) => ({ ...call, id: `${at}_${call.id}` })),
      })),
    }))
    const list = listOf(api, { ...conversation, isWorking: false })
    if (list.length >= messages) {
      const user = list.findIndex((message, at) => at >= list.length - messages + 1 && message.role === 'user')
      return [list[0], ...list.slice(user)]
    }
  }
}

const requiredFor = (list, as) => {
  try {
    trimMessages(list, { as, maxTokens: 1, tokenizer: 'o200k' })
    return 1
  } catch (error) {
    return error.requiredTokens
  }
}
const totalOf = (list, as) =>
  trimMessages(list, { as, maxTokens: 1e9, tokenizer: 'o200k', report: true }).report.totalTokens

async function speed() {
  const list = longList('openai-chat', SPEED_MESSAGES)
  const total = totalOf(list, 'openai-chat')
  const messages = list.map(langChainMessage)
  const trimmedByLangChain = (maxTokens, tokenCounter) =>
    trimOfLangChain(messages, { maxTokens, tokenCounter, ...RECOMMENDED })
  console.log(`\n## ${list.length} messages, ${total} tokens, o200k: milliseconds (median)\n`)
  console.log('| kept | promptmason | langchain, js-tiktoken | langchain, a counter that remembers | speed |')
  console.log('| --- | --- | --- | --- | --- |')
  for (const share of [0.1, 0.5, 1]) {
    const maxTokens = Math.ceil(total * share)
    const ours = await timed(41, () => trimMessages(list, { as: 'openai-chat', maxTokens, tokenizer: 'o200k' }))
    // Anything that takes half a minute is measured once.
    const theirs = await timed(share === 1 ? 5 : 1, () => trimmedByLangChain(maxTokens, plainCounter))
    const remembering = await timed(5, () => trimmedByLangChain(maxTokens, rememberingCounter()))
    const times = (value) => `${(value / ours).toFixed(0)} ×`
    console.log(
      `| ${share * 100} % | ${ours.toFixed(2)} | ${theirs.toFixed(0)} | ${remembering.toFixed(1)} | ${times(theirs)}, ${times(remembering)} |`,
    )
  }
}

async function rules() {
  const names = [
    ...APIS.map((api) => `promptmason, ${api}`),
    'langchain trimMessages, as recommended',
    'langchain trimMessages, defaults',
    "pruneMessages, toolCalls: 'before-last-message'",
    "pruneMessages, toolCalls: 'before-last-3-messages'",
  ]
  const rows = new Map(names.map((name) => [name, { invalid: 0, tooLarge: 0, rules: new Map() }]))
  const note = (name, api, messages, maxTokens) => {
    const row = rows.get(name)
    const broken = brokenBy(api, messages)
    if (broken.length > 0) row.invalid += 1
    for (const rule of broken) row.rules.set(rule, (row.rules.get(rule) ?? 0) + 1)
    if (broken.length === 0 && totalOf(messages, api) > maxTokens) row.tooLarge += 1
  }
  for (let seed = 0; seed < LISTS; seed++) {
    const conversation = conversationOf(seed)
    const share = numbersOf(seed + 1)(1000) / 1000
    for (const api of APIS) {
      const list = listOf(api, conversation)
      const [least, most] = [requiredFor(list, api), totalOf(list, api)]
      const maxTokens = Math.round(least + (most - least) * share)
      const { messages } = trimMessages(list, { as: api, maxTokens, tokenizer: 'o200k' })
      note(`promptmason, ${api}`, api, messages, maxTokens)
      if (api === 'openai-chat') {
        const counter = rememberingCounter()
        note(names[5], api, await langChain(list, maxTokens, counter, RECOMMENDED), maxTokens)
        note(names[6], api, await langChain(list, maxTokens, counter, DEFAULTS), maxTokens)
      }
      if (api === 'ai-sdk') {
        for (const [at, toolCalls] of ['before-last-message', 'before-last-3-messages'].entries()) {
          note(
            names[7 + at],
            api,
            pruneMessages({ messages: list, reasoning: 'all', toolCalls, emptyMessages: 'remove' }),
            maxTokens,
          )
        }
      }
    }
  }
  console.log(`\n## ${LISTS} lists, each with a budget that suffices\n`)
  console.log('| candidate | invalid | valid, but larger than the budget | rules that are broken |')
  console.log('| --- | --- | --- | --- |')
  for (const [name, row] of rows) {
    const broken = [...row.rules].map(([rule, count]) => `${rule} (${count})`).join('; ')
    console.log(`| ${name} | ${row.invalid} | ${row.tooLarge} | ${broken} |`)
  }
  if (APIS.some((api) => rows.get(`promptmason, ${api}`).invalid > 0 || rows.get(`promptmason, ${api}`).tooLarge > 0))
    process.exitCode = 1
}

await speed()
await rules()
