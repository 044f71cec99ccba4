/** Calls the function of a member, and waits for its answer. */
import { fields } from '../checks/fields.js'
import { integer, type Kind, optional, string } from '../checks/kinds.js'
import { present } from '../present.js'
import { failed, type Outcome, type Question } from './outcome.js'
import { waitFor } from './waiting.js'
import type { CliUsage } from '../delivery/events.js'
import type { ModelApi, ModelRequests } from '../prompts/model-requests.js'
import type { FunctionDefinition } from './member.js'
import type { AskedMember } from './members.js'

interface RunFields {
  /** The name of the member. */
  member: string
  /** The session that the function returned in its last turn. If set, the prompt contains only what is new. */
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
const usage: Kind<CliUsage> = (value, parent, name) => present(usageFields(value, parent, name))

const checkAnswer = fields<RunAnswer>()(
  { text: string, session: optional(string), usage: optional(usage), model: optional(string) },
  { required: true, anyKeys: true },
)

export const askFunction = async (
  { name, given }: AskedMember,
  { run }: FunctionDefinition,
  { output, resume, limits, onEvent }: Question,
): Promise<Outcome> => {
  const onText = (text: unknown) => onEvent({ type: 'text', text: String(text), raw: text })
  const { prompt, systemFlag, request } = output
  const form = request === undefined ? { prompt, systemFlag } : { request }
  try {
    const returned = await waitFor(name, limits(), (signal): unknown =>
      Reflect.apply(run, given, [{ ...form, member: name, resume, signal, onText }]),
    )
    const answered = typeof returned === 'string' ? { text: returned } : returned
    const { session: sessionId, ...answer } = checkAnswer(answered, '', 'the result of run')
    return {
      answer: { ...answer, ...(sessionId !== undefined && { sessionId }), finishReason: 'stop' },
      delivered: 'yes',
      warnings: [],
    }
  } catch (error) {
    return failed(error, [])
  }
}
