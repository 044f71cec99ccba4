/** The input of assemblers. */
import { fields } from '../checks/fields.js'
import { arrayOf, boolean, integer, optional, string } from '../checks/kinds.js'
import { outOfRange } from '../checks/problems.js'
import { checkIndices, indices, instruction, messages, moreOf, shared, sharedMore } from './materials.js'
import type { PromptMaterials } from './materials.js'
import type { Kind } from '../checks/kinds.js'
import type { PromptContextMessage } from '../messages/messages.js'

/**
 * The input of an assembler. The field is called `systemInstruction` here and `systemInstructionText` in
 * `buildPrompt`; passing the other one is an error.
 */
export interface AssemblerInput extends PromptMaterials {
  /**
   * The conversation so far, oldest first. It is read from the newest message back, and only as far as
   * the budget reaches. Messages beyond that are neither read nor validated.
   */
  contextMessages: readonly PromptContextMessage[]
  /** The message to act on. */
  currentMessage: string
  /** What the team works on. */
  teamTask: string | null | undefined
  /** The member's instructions. Each element of an array becomes a line. @default undefined */
  systemInstruction?: string | readonly string[] | null | undefined
  /** The maximum UTF-8 bytes of `prompt` and `systemFlag` together. */
  maxBytes: number
  /**
   * The maximum tokens of `prompt` and `systemFlag` together, counted by the assembler's `tokenizer`.
   * Both budgets apply. A limit without a tokenizer is an error, except for Codex, which uses `'o200k'`.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /** The message that is being answered, if it is not in `contextMessages`. @default undefined */
  parentContext?: PromptContextMessage | null | undefined
  /** Other replies to the same message, newest first. @default undefined */
  siblingContext?: readonly PromptContextMessage[] | null | undefined
  /**
   * How many messages of `contextMessages`, from the first, `summary` covers. They are not shown unless
   * they are pinned.
   * @default 0
   */
  summaryCovers?: number | null | undefined
  /**
   * Indices into `contextMessages` before which messages are missing. If something is pinned, a line
   * there says so. `getContextForAgent` returns them.
   * @default undefined
   */
  gapsBefore?: readonly number[] | null | undefined
  /** Overrides the assembler's option `showSender`. @default that of the assembler */
  showSender?: boolean | null | undefined
  /** Identifiers of the route. @default undefined */
  routeMeta?: { parentMessageId?: string | null | undefined; intent?: string | null | undefined } | null | undefined
}

/** Messages are caller-supplied objects, which may have any other fields. */
const quoteFields = fields<Pick<PromptContextMessage, 'from' | 'content'>>()(
  { from: string, content: string },
  { required: true, anyKeys: true },
)
const quote: Kind<{ from: string; content: string }, PromptContextMessage> = (...place) => quoteFields(...place)

const routeMeta = fields<NonNullable<AssemblerInput['routeMeta']>>()({
  parentMessageId: optional(string, ''),
  intent: optional(string, ''),
})

/** Fields that most inputs lack. */
const more = {
  routeMeta: optional(routeMeta),
  parentContext: optional(quote),
  siblingContext: optional(arrayOf(quote)),
  gapsBefore: optional(indices),
  showSender: optional(boolean),
  summaryCovers: optional(integer(0)),
  ...sharedMore,
}

export const assemblerFields = fields<AssemblerInput>()(
  {
    contextMessages: messages,
    maxBytes: integer(1),
    currentMessage: string,
    systemInstruction: optional(instruction),
    ...shared,
    ...more,
  },
  { required: true, top: true, misnamed: { systemInstructionText: 'systemInstruction' }, besides: ['ends'] },
)

export const moreAssemblerFields = moreOf(more)

export const assemblerInput = (value: unknown) => {
  const input = assemblerFields(value, '', 'input')
  const {
    contextMessages: { count },
    pinned,
    gapsBefore,
    summaryCovers,
  } = input
  checkIndices(pinned, count, 'pinned')
  checkIndices(gapsBefore, count, 'gapsBefore')
  if (summaryCovers !== undefined && summaryCovers > count) {
    outOfRange('at most the number of contextMessages', summaryCovers, '', 'summaryCovers')
  }
  return input
}
