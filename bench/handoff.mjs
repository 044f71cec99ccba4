/**
 * How a context window is used if a session is replayed at four characters per token, compared with
 * `buildHandoff`. Tokens are counted exactly, with o200k.
 *
 *     node bench/handoff.mjs
 */
import { buildHandoff, countTokens } from '../index.js'
import { numbers } from './text.mjs'
import { EMOJI, messagesOf } from './token-texts.mjs'

const WINDOW = 50_000
const CHARACTERS_PER_TOKEN = 4
/** About a kilobyte each: more than fit into the window either way. */
const [FEW, MANY] = [400, 1200]

/** Messages of emoji separated by spaces. */
const emojiMessages = () => {
  const next = numbers(17)
  const pick = () => EMOJI[(next() >>> 20) % EMOJI.length]
  return Array.from({ length: MANY }, () => Array.from({ length: 120 }, pick).join(' '))
}

const TEXTS = {
  English: () => messagesOf('English', FEW),
  code: () => messagesOf('code', FEW),
  Chinese: () => messagesOf('CJK', MANY),
  emoji: emojiMessages,
}

/** The usual handwritten code: the end of the transcript, four characters per token. */
const replay = (texts) =>
  texts
    .map((text, at) => `${at % 2 === 0 ? 'User' : 'Assistant'}: ${text}`)
    .join('\n\n')
    .slice(-WINDOW * CHARACTERS_PER_TOKEN)

const handoff = (texts) => {
  const messages = texts.map((content, at) => ({
    speaker: at % 2 === 0 ? { id: 'user', type: 'human' } : { id: 'claude', type: 'ai' },
    content,
  }))
  return buildHandoff({ agent: 'claude', messages }, { to: 'codex', maxTokens: WINDOW }).prompt
}

/** Whether a text begins with a message, and with a whole character. */
const beginning = (text) => {
  if (!text.isWellFormed?.()) return 'half a character'
  return /^(User|Assistant): /.test(text) ? 'a message' : 'the middle of a message'
}

const grouped = (number) => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')
const share = (tokens) => `${grouped(tokens)} (${Math.round((tokens / WINDOW) * 100)} %)`

console.log(`Tokens that are sent, for a budget of ${grouped(WINDOW)}:\n`)
console.log(
  '| text | four characters per token | begins with | has the first task | `buildHandoff` | has the first task |',
)
console.log('| --- | ---: | --- | --- | ---: | --- |')
for (const [kind, textsOf] of Object.entries(TEXTS)) {
  const texts = textsOf()
  const [replayed, made] = [replay(texts), handoff(texts)]
  const has = (text) => (text.includes(texts[0]) ? 'yes' : 'no')
  const tokens = [replayed, made].map((text) => share(countTokens(text, 'o200k')))
  console.log(`| ${kind} | ${tokens[0]} | ${beginning(replayed)} | ${has(replayed)} | ${tokens[1]} | ${has(made)} |`)
}
