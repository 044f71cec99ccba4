/** Results, made here so that they belong to the realm of the caller. */
import { isDebugWanted } from '../../binding.js'
import type { Form } from './form.js'

const { parse } = JSON
const { from: bufferFrom } = Buffer

/** `process` as it is now, in case somebody replaces the global. */
const { process } = globalThis

/**
 * What native code returns in addition to the prompt. It sets existing properties, so no setter on a
 * prototype
 * is called.
 */
export const emptyResult = (): {
  systemFlag: string | undefined
  report: any
  pieces: string[] | undefined
  insertions: string | undefined
} => ({ systemFlag: undefined, report: undefined, pieces: undefined, insertions: undefined })

/**
 * The result for the caller.
 * @param written What native code has returned.
 * @param contents What was passed, in that order.
 */
export const outputOf = (
  { kind, report: isReported }: Form,
  written: any,
  result: ReturnType<typeof emptyResult>,
  contents?: string[],
): any => {
  const { systemFlag } = result
  const report = isReported ? parse(result.report) : undefined
  if (kind === 'array') return isReported ? { ...parse(written), report } : parse(written)
  if (kind === 'into') return isReported ? { bytes: written, systemFlag, report } : { bytes: written, systemFlag }
  const prompt = kind === 'buffer' ? bufferOf(written) : stringOf(written, result, contents)
  return isReported ? { prompt, systemFlag, report } : { prompt, systemFlag }
}

/** A small prompt of ASCII comes as a string. */
const bufferOf = (written: string | Buffer) => (typeof written === 'string' ? bufferFrom(written, 'latin1') : written)

/** @param written The end of the text. */
const stringOf = (written: string, { pieces, insertions }: ReturnType<typeof emptyResult>, contents?: string[]) => {
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
  const parts = []
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
