/** What every budget would keep of a prompt. The addon computes it, and the page looks it up. */
import { LayoutAssembler, subjectOfAssembler, type ContextAssembler } from '../prompts/assemblers.js'
import {
  buildPrompt,
  subjectOfPrompt,
  type LayoutPromptInput,
  type MessagePromptInput,
} from '../prompts/build-prompt.js'
import { callNative, isPromptmasonError } from '../errors.js'
import { readForm } from '../prompts/form.js'
import { makePrompt, readMessages } from '../prompts/make-prompt.js'
import type { AssemblerInput } from '../prompts/assembler-input.js'
import type { AssemblerReportOutput } from '../prompts/results.js'
import type { BudgetTable } from './page/state.js'
import type { PromptContextMessage } from '../messages/messages.js'
import type { AssemblerReport } from '../prompts/report.js'

/** Plus the messages that a prompt can show: their places in the input, the sizes of their lines (in
 * tokens, too, if the table is), and which lines are pinned. */
export type FullTable = BudgetTable & {
  indices: number[]
  lineBytes: number[]
  lineTokens?: number[]
  pinned: number[]
}

/** Any prompt fits these limits. */
const AMPLE = Number.MAX_SAFE_INTEGER
const AMPLE_TOKENS = 2 ** 40
/** With these options, everything is read and nothing is dropped. */
const BYTES_ONLY = { maxBytes: AMPLE, maxTokens: undefined, tokenizer: undefined }
const WITH_TOKENS = { maxBytes: AMPLE, maxTokens: AMPLE_TOKENS }
/** With these added, no text is cut, and the conversation is left out. */
const OTHERS = { ...BYTES_ONLY, contextMessages: [], pinned: undefined, gapsBefore: undefined, systemMaxBytes: AMPLE }

/** An input and the function that takes it. */
export interface Source {
  messages: readonly PromptContextMessage[]
  /** Makes the same prompt again; undefined if it does not fit. */
  again: () => AssemblerReportOutput | undefined
  /** Everything but the conversation, whole. */
  others: () => AssemblerReportOutput
  /** Of budgets in tokens, if there is one. */
  table: (maxTokens: number | undefined) => FullTable
}

/** @returns Undefined if the layout of the agent type is not known. */
export const sourceOf = (
  input: AssemblerInput | MessagePromptInput | LayoutPromptInput,
  assembler: ContextAssembler | undefined,
  { agentType, maxBytes }: Pick<AssemblerReport, 'agentType' | 'maxBytes'>,
): Source | undefined => {
  const functions =
    'currentMessage' in input ? ofAssembler(input, assembler ?? knownAssembler(agentType)) : ofPrompt(input)
  if (functions === undefined) return undefined
  const { run, subjectWith } = functions
  return {
    messages: input.contextMessages,
    again: () => ifItFits(() => run({ maxBytes })),
    others: () => run(OTHERS),
    table(maxTokens) {
      const reading = readMessages(subjectWith(maxTokens === undefined ? BYTES_ONLY : WITH_TOKENS))
      return JSON.parse(callNative(() => reading.budgetTable(maxBytes, maxTokens)))
    },
  }
}

const REPORTED = readForm({ report: true })

const ofAssembler = (input: AssemblerInput, assembler: ContextAssembler | undefined) => {
  if (assembler === undefined) return undefined
  // Rejects anything but our assemblers.
  const subjectWith = (changes: object) => subjectOfAssembler(assembler, { ...input, ...changes })
  return { run: (changes: object) => makePrompt(subjectWith(changes), REPORTED) as AssemblerReportOutput, subjectWith }
}

const ofPrompt = (given: MessagePromptInput | LayoutPromptInput) => {
  const input = withMessage(given)
  return {
    run: (changes: object) => buildPrompt({ ...input, ...changes }, { report: true }),
    subjectWith: (changes: object) => subjectOfPrompt({ ...input, ...changes }),
  }
}

/** The same input, in which the message is not the last of the others. */
const withMessage = (input: MessagePromptInput | LayoutPromptInput): MessagePromptInput | LayoutPromptInput => {
  const isGiven = input.message !== undefined && input.message !== null
  // What is wrong with an input is found when a prompt is made of it.
  if (isGiven || !Array.isArray(input.contextMessages)) return input
  const last = input.contextMessages.length - 1
  const pinned = input.pinned?.filter((index) => index < last)
  return {
    ...input,
    contextMessages: input.contextMessages.slice(0, last),
    message: input.contextMessages[last],
    pinned,
  }
}

const ifItFits = <T>(make: () => T): T | undefined => {
  try {
    return make()
  } catch (error) {
    if (isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return undefined
    throw error
  }
}

const knownAssembler = (agentType: string) => {
  try {
    return LayoutAssembler.for(agentType)
  } catch {
    return undefined
  }
}
