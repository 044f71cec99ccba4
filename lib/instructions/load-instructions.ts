/** Loads instructions: native code finds and reads files, and JavaScript fetches URLs meanwhile. */
import { errorOf } from '../errors.js'
import { fetchUrl } from './fetch-url.js'
import type { InstructionSources, LoadedInstruction as NativeLoaded } from '../../binding.js'
import type { SystemPromptReport } from '../system-prompt/types.js'
import type { LoadedInstruction } from './types.js'

/** The result of a native call, with its failures turned into errors of this realm. */
export const settled = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * The parts of a prompt, and what happened to every source that was considered.
 * @param find Finds the sources.
 * @param options The `this` of a caller-supplied `fetch`.
 * @param own That `fetch`.
 */
export const loadInstructions = async (
  find: () => Promise<InstructionSources>,
  options: unknown,
  own: Function | undefined,
): Promise<SystemPromptReport> => {
  const found = await settled(find)
  const fetch = (url: string, init: object) =>
    own === undefined ? globalThis.fetch(url, init) : Reflect.apply(own, options, [url, init])
  const { urls, ...limits } = found.requests()
  const [responses] = await Promise.all([
    Promise.all(Array.from(urls, (url) => fetchUrl(url, limits, fetch))),
    settled(() => found.read()),
  ])
  const { parts, sources } = found.finish(responses)
  return { parts: [...parts], sources: Array.from(sources, copied) }
}

/** A copy, because objects of native code belong to another realm in Jest and in vm contexts. */
const copied = (source: NativeLoaded): LoadedInstruction =>
  ({ ...source, ...(source.appliesTo && { appliesTo: [...source.appliesTo] }) }) as any
