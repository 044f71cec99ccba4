/** Results, made here so that they belong to the realm of the caller. */
import { isDebugWanted, type NativeReading, type NeededFields } from '../../binding.js'
import { asOneString } from '../errors.js'
import type { Form } from './form.js'
import type { ModelApi, ModelRequests } from './model-requests.js'
import type { AssemblerReport } from './report.js'
import type { AnyOutput } from './results.js'

const { parse } = JSON
const { from: bufferFrom } = Buffer

/** `process` as it is now, in case somebody replaces the global. */
const { process } = globalThis

/** What native code returns in addition to the prompt. */
export interface NativeOutput {
  /** The caller's memory. */
  into: Uint8Array | undefined
  systemFlag: string | undefined
  /** As JSON. */
  report: string | undefined
  pieces: string[] | undefined
  /** What is to be passed before there is a prompt. */
  needed: NeededFields | undefined
  /** What takes that. */
  reading: NativeReading | undefined
}

/** Native code sets existing properties, so no setter on a prototype is called. */
export const emptyOutput = (into: Uint8Array | undefined): NativeOutput => ({
  into,
  systemFlag: undefined,
  report: undefined,
  pieces: undefined,
  needed: undefined,
  reading: undefined,
})

/**
 * The result for the caller.
 * @param written What native code has returned.
 */
export const outputOf = ({ kind, report: isReported }: Form, written: unknown, output: NativeOutput): AnyOutput => {
  const { systemFlag } = output
  const reported = isReported ? { report: parse(output.report ?? '') as AssemblerReport } : undefined
  // The kind says what native code returns.
  if (kind === 'array') return { ...(parse(written as string) as ModelRequests[ModelApi]), ...reported }
  if (kind === 'into') return { bytes: written as number, systemFlag, ...reported }
  if (kind === 'buffer') return { prompt: bufferOf(written as string | Buffer), systemFlag, ...reported }
  return { prompt: stringOf(written as string, output), systemFlag, ...reported }
}

/** A small prompt of ASCII comes as a string. */
const bufferOf = (written: string | Buffer) => (typeof written === 'string' ? bufferFrom(written, 'latin1') : written)

/** @param written The end of the text. */
const stringOf = (written: string, { pieces }: NativeOutput) =>
  pieces === undefined ? written : asOneString(() => pieces.reduceRight((end, piece) => piece + end, written))

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
