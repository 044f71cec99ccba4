/** Calls the function of a member, and waits for its answer. */
import { fields } from '../checks/fields.js'
import { integer, type Kind, optional, string } from '../checks/kinds.js'
import { failed, type Outcome, type Question } from './outcome.js'
import type { CliUsage } from '../delivery/events.js'
import type { ModelApi, ModelRequests } from '../prompts/model-requests.js'
import type { FunctionDefinition } from './member.js'
import type { AskedMember } from './members.js'

interface RunFields {
  /** The name of the member. */
  member: string
  /**
   * The session that the function returned in its last turn. If set, the prompt contains only what is
   * new.
   */
  resume: string | undefined
  /** Aborted when the turn must end. */
  signal: AbortSignal
  /** Call this with pieces of the answer as they arrive. */
  onText: (text: string) => void
}

/** The input of a function member. */
export interface RunInput extends RunFields {
  prompt: string
  /** The system text, if the layout does not put it into the prompt. */
  systemFlag: string | undefined
}

/** The input of a function member that sends requests to a model API. */
export interface RequestRunInput<Api extends ModelApi = ModelApi> extends RunFields {
  /** Spread it into the call of the SDK: see docs/arrays.md. */
  request: ModelRequests[Api]
}

/** The answer of a function member. */
export interface RunAnswer {
  text: string
  /** The session to resume in the next turn. Without it, the next prompt is whole. */
  session?: string | null | undefined
  /** The tokens of this turn, excluding what the session already contained. */
  usage?: CliUsage | null | undefined
  model?: string | null | undefined
}

const usageFields = fields<{ [Field in keyof CliUsage]-?: CliUsage[Field] | null | undefined }>()(
  {
    inputTokens: optional(integer(0)),
    cachedInputTokens: optional(integer(0)),
    cacheWriteTokens: optional(integer(0)),
    outputTokens: optional(integer(0)),
    reasoningTokens: optional(integer(0)),
  },
  { anyKeys: true },
)
const usage: Kind<CliUsage> = (value, parent, name) => usageFields(value, parent, name)

const checkAnswer = fields<RunAnswer>()(
  { text: string, session: optional(string), usage: optional(usage), model: optional(string) },
  { required: true, anyKeys: true },
)

/** Rejects when the signal is aborted. */
const whenAborted = (signal: AbortSignal) => {
  let forget = () => {}
  const promise = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    forget = () => signal.removeEventListener('abort', abort)
  })
  promise.catch(() => {})
  return { promise, forget }
}

export const askFunction = async (
  { name, given }: AskedMember,
  { run }: FunctionDefinition,
  { output, resume, signal, timeoutMs, onEvent }: Question,
): Promise<Outcome> => {
  const controller = new AbortController()
  const stop = () => controller.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(timedOut(name, timeoutMs)), timeoutMs)
  const { promise, forget } = whenAborted(controller.signal)
  try {
    const onText = (text: unknown) => onEvent({ type: 'text', text: String(text), raw: text })
    const { prompt, systemFlag, request } = output
    const input = {
      ...(request === undefined ? { prompt, systemFlag } : { request }),
      member: name,
      resume,
      signal: controller.signal,
      onText,
    }
    const returned = await Promise.race([Promise.resolve(Reflect.apply(run, given, [input])), promise])
    const answered = typeof returned === 'string' ? { text: returned } : returned
    const { session: sessionId, ...answer } = checkAnswer(answered, '', 'the result of run')
    return {
      answer: { ...answer, ...(sessionId !== undefined && { sessionId }), finishReason: 'stop' },
      delivered: 'yes',
      warnings: [],
    }
  } catch (error) {
    return failed(error, [])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    forget()
  }
}

const timedOut = (name: string, timeoutMs: number) =>
  Object.assign(new Error(`${name} gave no answer: timed out after ${timeoutMs} ms`), {
    code: 'ERR_NO_ANSWER',
    timedOut: true,
  })
