/** The options and inputs of assemblers. */
import { recordOf } from '../checks/fields.js'
import {
  arrayOf,
  array,
  boolean,
  entriesOf,
  integer,
  oneOf,
  optional,
  refined,
  string,
  strings,
} from '../checks/kinds.js'
import { outOfRange, pathOf, wrongType } from '../checks/problems.js'
import { tokenizer } from '../tokens/checks.js'
import type { Kind } from '../checks/kinds.js'

/** Titles by the names of parts; one that is missing leaves the layout's own. */
const headings = refined(
  entriesOf(optional(string)),
  (entries) => entries.filter(([, title]) => title !== undefined) as [string, string][],
)

export const markers = oneOf(['verbatim', 'escape', 'fence'])

const fenceKey: Kind<string> = (value, parent, name) => {
  const key = string(value, parent, name)
  return /^[A-Za-z0-9]{12}$/.test(key) ? key : wrongType('12 letters and digits', value, parent, name)
}

export const assemblerOptions = recordOf({
  tokenizer: optional(tokenizer),
  systemPlacement: optional(string),
  headings: optional(headings, []),
  evictionStep: optional(integer(0)),
  markers: optional(markers),
  showSender: optional(boolean),
  messageMinBytes: optional(integer(0)),
  toolOutputMinBytes: optional(integer(0)),
  reasoning: optional(oneOf(['omit', 'keep'])),
})

/** The caller's messages, none of them read yet, and how many there are. */
export const messages: Kind<{ list: readonly any[]; count: number }> = refined(array, (list, parent, name) => {
  const { length } = list
  // A proxy can return anything here.
  if (typeof length !== 'number') wrongType('an array', { length }, parent, name)
  return { list, count: length >>> 0 }
})

/** One text or several: as given, and for native code, which gets a copy of an array. */
export const instruction: Kind<{ given: any; texts: string | string[] }> = (value, parent, name) =>
  typeof value === 'string' ? { given: value, texts: value } : { given: value, texts: strings(value, parent, name) }

const indices = arrayOf(integer(0))

/** Rejects anything that is not an index into the messages. */
export const checkIndices = (given: number[] | undefined, count: number, name: string) => {
  given?.forEach((index, place) => {
    if (index >= count) outOfRange('an index of contextMessages', index, name, place)
  })
}

/** Messages are caller-supplied objects, which may have any other fields. */
const quote = recordOf({ from: string, content: string }, { required: true, anyKeys: true })

const nameList = arrayOf(string, 'a string or an array of strings')

/** @param to Without blank names. */
const withoutBlank = (to: readonly string[]) => to.filter((name) => name.trim() !== '')

/** One addressee, or several as one text. */
const addresseeText: Kind<string> = (value, parent, name) =>
  typeof value === 'string' ? value : withoutBlank(nameList(value, parent, name)).join(', ')

/** The fields that both inputs share. */
export const shared = { teamTask: optional(string), instructionFileText: optional(string) }
export const sharedMore = {
  summary: optional(string),
  pinned: optional(indices),
  maxTokens: optional(integer(1)),
  messageFrom: optional(string),
  messageTo: optional(addresseeText),
  fenceKey: optional(fenceKey),
}

/** Fields that most inputs lack. Native code reads them separately. */
const more = {
  routeMeta: optional(recordOf({ parentMessageId: optional(string, ''), intent: optional(string, '') })),
  parentContext: optional(quote),
  siblingContext: optional(arrayOf(quote)),
  gapsBefore: optional(indices),
  showSender: optional(boolean),
  summaryCovers: optional(integer(0)),
  ...sharedMore,
}

export const assemblerFields = recordOf(
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

/**
 * The input, if it has any field that most inputs lack.
 * @param table Fields that most inputs lack.
 */
export const moreOf = (table: Record<string, unknown>) => {
  const names = [...Object.keys(table), 'ends']
  return (input: any) => {
    for (const name of names) if (input[name] !== undefined) return input
    return undefined
  }
}

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

/** A message that native code asked for. */
export const checkedObject = (message: any, index: number) =>
  typeof message === 'object' && message !== null ? message : wrongType('an object', message, 'contextMessages', index)

/** The names in an array of addressees, without blank ones. */
export const addressees = (to: unknown, index: number) =>
  withoutBlank(nameList(to, pathOf('contextMessages', index), 'to'))
