/** Classifies the error that a CLI reports, by its wording. */
import { present } from '../present.js'
import type { CliError, Denial } from './events.js'

/** The answer was longer than the model's output may be: codex, claude. */
export const OUTPUT_LIMIT = /max_output_tokens|output token maximum/i

/** What errors say, as regular expressions in any letter case. */
const WORDS: readonly [CliError['code'], readonly string[]][] = [
  [
    'session-not-found',
    [
      'no conversation found', // claude
      'not a uuid and does not match any session', // claude
      'no rollout found', // codex
      'invalid session identifier|no previous sessions found', // gemini
      'session not found', // opencode
      'no saved session found', // qwen
      'no session, task, or name matched', // copilot
      'no session found matching', // pi
    ],
  ],
  [
    'too-long',
    [
      'too (?:long|large)|too many tokens|prompt_too_long|input_too_large|exceeds 10MB',
      'context[ _-]?(?:length|window|overflow|limit)',
      'input exceeds|(?:token count|prompt|request|input length) exceeds|exceeds the (?:maximum|model)',
      'maximum (?:context|prompt|input)',
    ],
  ],
  ['rate-limit', ['rate.?limit|too many requests|quota|usage limit|overloaded|resource.?exhausted|\\b(?:429|529)\\b']],
  [
    'not-logged-in',
    [
      'not logged in|log ?in required|please (?:run )?\\S*log ?in|(?:codex|auth) login|/login',
      'unauthori[sz]ed|authenticat|invalid.{0,12}(?:api.?key|token|credential)|api.?key.{0,24}(?:invalid|missing|not valid|incorrect)',
      '(?:incorrect|missing|specify|no).{0,24}api.?key|missing environment variable|\\b401\\b',
      'set an auth method|no auth type', // gemini, qwen
    ],
  ],
  [
    'interrupted',
    [
      'stream (?:disconnected|closed|ended)', // codex
      'connection (?:was )?(?:closed|lost|reset|aborted|terminated)|socket hang up|premature close|other side closed',
      'econnreset|epipe|(?:^|: ?)terminated\\b|partial response|response (?:was )?cut off',
      'empty or malformed response', // claude
      'without a finish reason', // gemini, qwen
      'missing finish_reason', // copilot
      OUTPUT_LIMIT.source,
    ],
  ],
]

/** The first match wins. Only errors that a CLI reports are searched, never answers. */
const KINDS = WORDS.map(([code, words]) => ({ code, words: new RegExp(words.join('|'), 'i') }))

const BY_STATUS: ReadonlyMap<unknown, CliError['code']> = new Map([
  [401, 'not-logged-in'],
  [413, 'too-long'],
  [429, 'rate-limit'],
  [529, 'rate-limit'],
])

/** When to try again, in the wording of providers: `Please try again in 1.5s`, `retry after 30 seconds`. */
const RETRY_AFTER =
  /\b(?:try again|retry)(?: after| in)? (\d{1,9}(?:\.\d{1,9})?) ?(ms|milliseconds?|s|seconds?|m|minutes?)\b/i

const millisecondsOf = (unit: string) => (/^(?:ms|mil)/i.test(unit) ? 1 : /^s/i.test(unit) ? 1000 : 60_000)

const retryAfterMsIn = (message: string) => {
  const [, amount, unit] = RETRY_AFTER.exec(message) ?? []
  return unit === undefined ? undefined : Math.ceil(Number(amount) * millisecondsOf(unit))
}

const MAX_MESSAGE_UNITS = 2000

/**
 * @param message What the CLI says.
 * @param status The status of the provider's response, if the CLI reports it.
 */
export const cliError = (message: string, status?: unknown): CliError => {
  const kept = message.slice(0, MAX_MESSAGE_UNITS).toWellFormed()
  const code = BY_STATUS.get(status) ?? KINDS.find(({ words }) => words.test(kept))?.code ?? 'other'
  const retryAfterMs = code === 'rate-limit' ? retryAfterMsIn(kept) : undefined
  return present({ code, message: kept, retryAfterMs })
}

/** Escape sequences: colours, and titles of windows. */
// oxlint-disable-next-line no-control-regex -- they begin with a control character
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g

/** The end of a CLI's stderr, in readable form. */
export const endOf = (stderr: string) => stderr.replace(ESCAPES, '').trim().slice(-MAX_MESSAGE_UNITS).toWellFormed()

/** The error of a turn that ended without an answer known to be complete. */
export const interrupted = (message: string): CliError => ({ code: 'interrupted', message })

const MAX_NAMED_DENIALS = 100

/** The error of a turn that ended because tools were not allowed. */
export const permissionDenied = (denials: readonly Denial[]): CliError => {
  const names = [...new Set(denials.slice(0, MAX_NAMED_DENIALS).map(({ name }) => name))].join(', ')
  return { code: 'permission-denied', message: `the turn ended because permission was denied: ${names}` }
}
