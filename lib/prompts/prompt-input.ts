/** The input of `buildPrompt`. */
import { assemblerOptions, checkIndices, instruction, messages, moreOf, shared, sharedMore } from './assembler-input.js'
import { recordOf } from '../checks/fields.js'
import { integer, optional, string } from '../checks/kinds.js'
import { layout } from './layout.js'
import { wrongType } from '../checks/problems.js'
import { tokenizer } from '../tokens/checks.js'

/** Which assembler makes the prompt. */
const subject = {
  layout: optional(layout),
  agentType: optional(string),
  options: optional(assemblerOptions),
  tokenizer: optional(tokenizer),
}

/** Fields that most inputs lack. Native code reads them separately. */
const more = { roleSummary: optional(string), systemMaxBytes: optional(integer(0)), ...sharedMore }

const materials = {
  contextMessages: messages,
  maxBytes: optional(integer(1)),
  maxContextMessages: optional(integer(0)),
  recipient: optional(string),
  systemInstructionText: optional(instruction),
  message: string,
  ...shared,
  ...more,
}

export const morePromptFields = moreOf({ ...more, tokenizer })

const RULES = { required: true, top: true }
export const subjectFields = recordOf(subject, { ...RULES, also: [...Object.keys(materials), 'systemInstruction'] })
export const promptFields = recordOf(materials, {
  ...RULES,
  anyKeys: true,
  misnamed: { systemInstruction: 'systemInstructionText' },
  besides: ['ends', 'tokenizer'],
})

/** @param isRequest Whether it becomes a request to a model API, which needs no agent type. */
export const promptInput = (value: any, isRequest: boolean = false) => {
  const made = subjectFields(value, '', 'input')
  if (made.layout === undefined && made.agentType === undefined && !isRequest)
    wrongType('a string', undefined, '', 'agentType')
  const input = promptFields(value, '', 'input')
  checkIndices(input.pinned, input.contextMessages.count, 'pinned')
  return { subject: made, input }
}
