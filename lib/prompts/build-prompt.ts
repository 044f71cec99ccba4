/** `buildPrompt`. */
import { beginPrompt } from '../../binding.js'
import { reportMisspelling } from './agent-types.js'
import { readForm } from './form.js'
import { morePromptFields, promptInput } from './prompt-input.js'
import { errorOf } from '../errors.js'
import { endsOf } from './long-text.js'
import { makePrompt } from './make-prompt.js'
import { nativeTokenizer } from '../tokens/token-functions.js'
import type { Form } from './form.js'
import type { Subject } from './make-prompt.js'

const DEFAULT_MAX_BYTES = 768 * 1024

export const buildPrompt = (given: unknown, form?: unknown) => {
  const wanted = readForm(form, true)
  const subject = subjectOfPrompt(given, wanted.request)
  const output = makePrompt(subject, wanted)
  reportMisspelling(output.report, subject.agentType)
  return output
}

/** @param request The request that is made. */
export const subjectOfPrompt = (
  given: unknown,
  request?: Form['request'],
): Subject & { agentType: string | undefined } => {
  const { subject, input } = promptInput(given, request !== undefined)
  const { agentType, layout, options } = subject
  const {
    contextMessages: { list, count },
    message,
    maxBytes,
  } = input
  const fields = input as any
  fields.systemInstructionText = input.systemInstructionText?.texts
  fields.tokenizer = nativeTokenizer(subject.tokenizer)
  fields.ends = endsOf(message, maxBytes ?? DEFAULT_MAX_BYTES)
  const optionFields = options && { ...options, tokenizer: nativeTokenizer(options.tokenizer) }
  const begin: Subject['begin'] = (report, joins) => {
    try {
      return beginPrompt(
        agentType,
        layout,
        optionFields,
        fields,
        morePromptFields(fields),
        count,
        report,
        joins,
        request,
      )
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }
  const givenType = layout === undefined && request === undefined ? agentType : undefined
  return { begin, messages: list, tokenizer: subject.tokenizer ?? options?.tokenizer, agentType: givenType }
}
