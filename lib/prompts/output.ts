/** Results, made here so that they belong to the realm of the caller. */
import { isDebugWanted } from '../../binding.js'
import type { Form } from './form.js'
import type { ModelApi, ModelRequests } from './model-requests.js'
import type { AssemblerReport } from './report.js'
import type { AnyOutput } from './results.js'

const { parse } = JSON
const { from: bufferFrom } = Buffer

/** `process` as it is now, in case somebody replaces the global. */
const { process } = globalThis

/** What native code returns in addition to the prompt. */
interface NativeResult {
  systemFlag: string | undefined
  /** As JSON. */
  report: string | undefined
  pieces: string[] | undefined
  insertions: string | undefined
}

/** Native code sets existing properties, so no setter on a prototype is called. */
export const emptyResult = (): NativeResult => ({
  systemFlag: undefined,
  report: undefined,
  pieces: undefined,
  insertions: undefined,
})

/**
 * The result for the caller.
 * @param written What native code has returned.
 * @param contents What was passed, in that order.
 */
export const outputOf = (
  { kind, report: isReported }: Form,
  written: unknown,
  result: NativeResult,
  contents?: string[],
): AnyOutput => {
  const { systemFlag } = result
  const reported = isReported ? { report: parse(result.report ?? '') as AssemblerReport } : undefined
  // The kind says what native code returns.
  if (kind === 'array') return { ...(parse(written as string) as ModelRequests[ModelApi]), ...reported }
  if (kind === 'into') return { bytes: written as number, systemFlag, ...reported }
  if (kind === 'buffer') return { prompt: bufferOf(written as string | Buffer), systemFlag, ...reported }
  return { prompt: stringOf(written as string, result, contents), systemFlag, ...reported }
}

/** A small prompt of ASCII comes as a string. */
const bufferOf = (written: string | Buffer) => (typeof written === 'string' ? bufferFrom(written, 'latin1') : written)

/** @param written The end of the text. */
const stringOf = (written: string, { pieces, insertions }: NativeResult, contents?: string[]) => {
  const text = pieces === undefined ? written : pieces.reduceRight((end, piece) => piece + end, written)
  return insertions === undefined ? text : joinedPrompt(text, insertions, contents ?? [])
}

/**
 * Joins the prompt from the caller's strings and ours, so that nothing is converted to UTF-8 and back.
 * (Twice as fast for text beyond ASCII: 5,000 × 1 KB CJK as a string.) For each content,
 * `insertions` has two numbers of two units each: its place in our text; and twice its place among the
 * contents, and one more if it may have lone surrogates.
 */
const joinedPrompt = (text: string, insertions: string, contents: string[]) => {
  const number = (at: number) => insertions.charCodeAt(at) | (insertions.charCodeAt(at + 1) << 16)
  const parts: string[] = []
  // The length is set up front, because a large growing array would be copied repeatedly.
  parts.length = (insertions.length >> 1) + 1
  let start = 0
  for (let at = 0; at < insertions.length; at += 4) {
    const end = number(at)
    parts[at >> 1] = text.slice(start, end)
    const place = number(at + 2)
    const content = contents[place >>> 1] as string
    // What is sent is well-formed, as native code has measured it.
    parts[(at >> 1) + 1] = place & 1 ? content.toWellFormed() : content
    start = end
  }
  parts[insertions.length >> 1] = text.slice(start)
  return parts.join('')
}

let lastDebug = ''
let isLastWanted = false

/**
 * Whether `DEBUG` asks for our output. It is read for each prompt, so that it can be switched on
 * while a program runs, and through Node, because a worker may be changing it at that moment.
 */
export const isDebugged = () => {
  const debug = process.env?.DEBUG
  if (typeof debug !== 'string') return false
  if (debug !== lastDebug) [lastDebug, isLastWanted] = [debug, isDebugWanted(debug)]
  return isLastWanted
}
