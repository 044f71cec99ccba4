/**
 * The parts of a message: texts, reasoning, tool calls, tool results and files. Each field is read once;
 * what is returned is data only, so a caller that changes its own objects later changes nothing.
 */
import { asJson, isDeeper } from './json.js'
import { isMissing } from '../checks/kinds.js'
import { pathOf, unknownValue, wrongType } from '../checks/problems.js'
import type { PartFields } from '../../binding.js'

const { isArray } = Array
const { parse } = JSON
const { byteLength } = Buffer

export interface CheckedParts {
  /** The parts, as data. */
  parts: any[]
  /** The same for native code. */
  fields: PartFields[]
  /** The texts, for readers that do not know about parts. */
  content: string
}

/**
 * How deep inputs and outputs may be nested. Messages are written as JSON again, in snapshots, requests and
 * stores, and engines fail at depths that vary with the stack.
 */
const MAX_LEVELS = 1000

const TYPES = ['text', 'reasoning', 'tool-call', 'tool-result', 'file']

const text = (value: any, path: string, field: string): string =>
  typeof value === 'string' ? value : wrongType('a string', value, path, field)

const name = (value: any, path: string, field: string): string =>
  typeof value === 'string' && value !== '' ? value : wrongType('a string that is not empty', value, path, field)

/**
 * A value after a round trip through JSON, and its JSON.
 * @param missing Used instead of undefined.
 */
const json = (value: any, path: string, field: string, missing: unknown) => {
  const written = asJson(value === undefined ? missing : value, path, field)
  if (isDeeper(written, MAX_LEVELS)) {
    wrongType(`nested at most ${MAX_LEVELS} levels deep: pass deeper data as a string`, value, path, field)
  }
  return { value: parse(written), written }
}

const checkFile = (part: any, path: string): { part: any; fields: PartFields } => {
  const { name: given, mediaType: type, data, url } = part
  const fileName = isMissing(given) ? '' : text(given, path, 'name')
  const mediaType = name(type, path, 'mediaType')
  const named = fileName === '' ? {} : { name: fileName }
  if (!isMissing(url)) {
    if (!isMissing(data)) wrongType('left out, because there is a url', data, path, 'data')
    const address = text(url, path, 'url')
    const file = { type: 'file', ...named, mediaType, url: address }
    return { part: file, fields: ['file', mediaType, fileName, address, false, 0] }
  }
  const bytes = typeof data === 'string' ? byteLength(data) : data instanceof Uint8Array ? data.byteLength : undefined
  if (bytes === undefined) wrongType('a base64 string or a Uint8Array, or there must be a url', data, path, 'data')
  return {
    part: { type: 'file', ...named, mediaType, data },
    fields: ['file', mediaType, fileName, '', false, bytes ?? 0],
  }
}

const checkPart = (given: any, parent: string, index: number): { part: any; fields: PartFields } => {
  if (typeof given !== 'object' || given === null) wrongType('an object', given, parent, index)
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
      const part = { type, id: name(id, path, 'id'), name: name(tool, path, 'name'), input: value }
      return { part, fields: [type, part.id, part.name, written, false, 0] }
    }
    case 'tool-result': {
      const { id, output, isError } = given
      if (!isMissing(isError) && typeof isError !== 'boolean') wrongType('a boolean', isError, path, 'isError')
      const { value, written } = json(output, path, 'output', '')
      const part = {
        type,
        id: name(id, path, 'id'),
        output: value,
        ...(isError === true ? { isError } : {}),
      }
      const said = typeof value === 'string' ? value : written
      return { part, fields: [type, part.id, '', said, isError === true, 0] }
    }
    case 'file':
      return checkFile(given, path)
    default:
      return unknownType(type, path)
  }
}

const unknownType = (type: any, path: string): never => {
  const expected = `one of ${TYPES.join(', ')}`
  return typeof type === 'string' ? unknownValue(expected, type, path, 'type') : wrongType(expected, type, path, 'type')
}

/**
 * The parts of a message that has some. `content` next to them is rejected unless it is empty or equals
 * their text, as in the messages that we return.
 */
export const checkParts = (given: any, content: any, parent: string): CheckedParts => {
  if (!isArray(given)) wrongType('an array', given, parent, 'parts')
  const path = pathOf(parent, 'parts')
  const checked = Array.from({ length: given.length }, (_, index) => checkPart(given[index], path, index))
  const parts = checked.map(({ part }) => part)
  const texts = parts.flatMap(({ type, text: said }) => (type === 'text' ? [said] : [])).join('\n\n')
  if (!isMissing(content) && content !== '' && content !== texts) {
    wrongType('left out, because the message has parts', content, parent, 'content')
  }
  return { parts, fields: checked.map(({ fields }) => fields), content: texts }
}

/** The text of the parts, for a caller-supplied token counter. */
export const saidIn = (fields: PartFields[]) => fields.map(([, , , said]) => said).join('\n')
