/** Reads a JSON file, or stdin. */
import { sizeOf as sizeText } from '../explain/page/words.js'
import { messageOf } from '../thrown.js'
import { type Call, UsageError } from './command.js'
import { parseJson } from './json.js'

/** From this size on, parsing takes noticeable time. */
export const LARGE_BYTES = 32 * 1024 * 1024

export const readBytes = async (file: string, { surroundings, progress }: Pick<Call, 'surroundings' | 'progress'>) => {
  const name = nameOf(file)
  const whole = surroundings.sizeOf(file)
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    progress.say(`reading ${name}`)
    for await (const chunk of surroundings.open(file)) {
      chunks.push(chunk)
      bytes += chunk.length
      progress.say(`reading ${name}: ${sizeText(bytes)}${whole === undefined ? '' : ` of ${sizeText(whole)}`}`)
    }
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${messageOf(error)}`)
  }
  return Buffer.concat(chunks)
}

const nameOf = (file: string) => (file === '-' ? 'stdin' : file)

export const readText = async (file: string, call: Pick<Call, 'surroundings' | 'progress'>) =>
  decoded(await readBytes(file, call), nameOf(file))

export const readJson = async (file: string, call: Pick<Call, 'surroundings' | 'progress'>): Promise<unknown> => {
  const bytes = await readBytes(file, call)
  if (bytes.length >= LARGE_BYTES) call.progress.sayAtOnce(`parsing ${sizeText(bytes.length)} of JSON`)
  const parsed = parseJson(decoded(bytes, nameOf(file)))
  if ('value' in parsed) return parsed.value
  const { line, column, problem } = parsed.mistake
  throw new UsageError(`${nameOf(file)}:${line}:${column}: this is not JSON: ${problem}`)
}

const decoded = (bytes: Uint8Array, name: string) => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${name} is not UTF-8`)
  }
}
