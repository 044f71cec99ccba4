/**
 * The parts of a message: texts, reasoning, tool calls, tool results and files. Each field is read once;
 * what is returned is data only, so a caller that changes its own objects later changes nothing.
 */
import { asJson } from './json.js'
import { isMissing, isObject } from '../checks/kinds.js'
import { asOneString } from '../errors.js'
import { pathOf, unknownValue, wrongType } from '../checks/problems.js'
import type { PartFields } from '../../binding.js'

const { isArray } = Array
const { parse } = JSON
const { values } = Object
const { byteLength } = Buffer

/**
 * A part of a message. A tool result belongs to the nearest earlier call with the same id, in this
 * message or an earlier one. Prompts show both or neither.
 */
export type MessagePart = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | FilePart

/** Text. */
export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** A model's reasoning. It is not shown unless the option `reasoning` is `'keep'`. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
}

/** A tool call. */
export interface ToolCallPart {
  readonly type: 'tool-call'
  /** The id of the call; not empty. */
  readonly id: string
  /** The name of the tool; not empty. */
  readonly name: string
  /** The arguments: any JSON value, nested at most 1,000 levels deep. @default {} */
  readonly input?: unknown
}

/** The result of a tool call. */
export interface ToolResultPart {
  readonly type: 'tool-result'
  /** The id of the call. */
  readonly id: string
  /** A string or any other JSON value. @default '' */
  readonly output?: unknown
  /** Whether the tool failed. @default false */
  readonly isError?: boolean | null | undefined
}

/** A file, as data or a URL. Prompts for CLIs show its name, type and size, or its URL. */
export type FilePart = {
  readonly type: 'file'
  readonly name?: string | null | undefined
  /** For example `image/png`. */
  readonly mediaType: string
} & (
  | {
      /** The content, as bytes or base64. */
      readonly data: string | Uint8Array
      readonly url?: null | undefined
    }
  | { readonly url: string; readonly data?: null | undefined }
)

/**
 * How deep inputs and outputs may be nested. Messages are written as JSON again, in snapshots, requests and
 * stores, and engines fail at depths that vary with the stack.
 */
const MAX_LEVELS = 1000

const TYPES = ['text', 'reasoning', 'tool-call', 'tool-result', 'file']

const text = (value: unknown, path: string, field: string): string =>
  typeof value === 'string' ? value : wrongType('a string', value, path, field)

const name = (value: unknown, path: string, field: string): string =>
  typeof value === 'string' && value !== '' ? value : wrongType('a string that is not empty', value, path, field)

/**
 * A value after a round trip through JSON, and its JSON.
 * @param missing Used instead of undefined.
 */
const json = (value: unknown, path: string, field: string, missing: unknown) => {
  const written = asJson(value === undefined ? missing : value, path, field)
  const data: unknown = parse(written)
  // Each level has two brackets.
  if (written.length > 2 * MAX_LEVELS && isTooDeep(data)) {
    wrongType(`nested at most ${MAX_LEVELS} levels deep: pass deeper data as a string`, value, path, field)
  }
  return { value: data, written }
}

/** Whether data is nested too deeply. It is walked level by level, which takes no stack. */
const isTooDeep = (data: unknown) => {
  let level = [data].filter(isObject)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_LEVELS) return true
    level = level.flatMap((one) => values(one).filter(isObject))
  }
  return false
}

/** A part as data, and the same for native code. */
interface CheckedPart {
  part: MessagePart
  fields: PartFields
}

const checkFile = (part: Record<PropertyKey, unknown>, path: string): CheckedPart => {
  const { name: given, mediaType: type, data, url } = part
  const fileName = isMissing(given) ? '' : text(given, path, 'name')
  const mediaType = name(type, path, 'mediaType')
  const named = fileName === '' ? {} : { name: fileName }
  if (!isMissing(url)) {
    if (!isMissing(data)) wrongType('left out, because there is a url', data, path, 'data')
    const address = text(url, path, 'url')
    return {
      part: { type: 'file', ...named, mediaType, url: address },
      fields: ['file', mediaType, fileName, address, false, 0],
    }
  }
  if (typeof data !== 'string' && !(data instanceof Uint8Array)) {
    return wrongType('a base64 string or a Uint8Array, or there must be a url', data, path, 'data')
  }
  const bytes = typeof data === 'string' ? byteLength(data) : data.byteLength
  return {
    part: { type: 'file', ...named, mediaType, data },
    fields: ['file', mediaType, fileName, '', false, bytes],
  }
}

const checkPart = (given: unknown, parent: string, index: number): CheckedPart => {
  if (!isObject(given)) return wrongType('an object', given, parent, index)
  const path = pathOf(parent, index)
  const { type } = given
  switch (type) {
    case 'text':
    case 'reasoning': {
      const said = text(given.text, path, 'text')
      return { part: { type, text: said }, fields: [type, '', '', said, false, 0] }
    }
    case 'tool-call': {
      const { id, name: tool, input } = given
      const { value, written } = json(input, path, 'input', {})
      const part: ToolCallPart = { type, id: name(id, path, 'id'), name: name(tool, path, 'name'), input: value }
      return { part, fields: [type, part.id, part.name, written, false, 0] }
    }
    case 'tool-result': {
      const { id, output, isError } = given
      if (!isMissing(isError) && typeof isError !== 'boolean') wrongType('a boolean', isError, path, 'isError')
      const { value, written } = json(output, path, 'output', '')
      const failed = isError === true ? { isError } : {}
      const part: ToolResultPart = { type, id: name(id, path, 'id'), output: value, ...failed }
      const said = typeof value === 'string' ? value : written
      return { part, fields: [type, part.id, '', said, isError === true, 0] }
    }
    case 'file':
      return checkFile(given, path)
    default:
      return unknownType(type, path)
  }
}

const unknownType = (type: unknown, path: string): never => {
  const expected = `one of ${TYPES.join(', ')}`
  return typeof type === 'string' ? unknownValue(expected, type, path, 'type') : wrongType(expected, type, path, 'type')
}

/**
 * The parts of a message that has some: as data, for native code, and their texts. `content` next to
 * them is rejected unless it is empty or equals their text, as in the messages that we return.
 */
export const checkParts = (given: unknown, content: unknown, parent: string) => {
  if (!isArray(given)) return wrongType('an array', given, parent, 'parts')
  const list: readonly unknown[] = given
  const path = pathOf(parent, 'parts')
  const checked = Array.from({ length: list.length }, (_, index) => checkPart(list[index], path, index))
  const parts = checked.map(({ part }) => part)
  const said = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const texts = asOneString(() => said.join('\n\n'))
  if (!isMissing(content) && content !== '' && content !== texts) {
    wrongType('left out, because the message has parts', content, parent, 'content')
  }
  return { parts, fields: checked.map(({ fields }) => fields), content: texts }
}

/** The text of the parts, for a caller-supplied token counter. */
export const saidIn = (fields: PartFields[]) => asOneString(() => fields.map(([, , , said]) => said).join('\n'))
