/** Loads instructions: native code finds and reads files, and JavaScript fetches URLs meanwhile. */
import { settled } from '../errors.js'
import { fetchUrl } from './fetch-url.js'
import type { InstructionSources } from '../../binding.js'
import type { InstructionFetch } from './options.js'

const { parse } = JSON

/** A file or URL that was considered, and what happened to it. */
export interface LoadedInstruction {
  /** The path, or the scheme, host and path of the URL; if a configuration entry leads to neither, the entry itself. */
  source: string
  kind: 'file' | 'url'
  /**
   * Why it was considered: found in the project, found among the user's files, configured, or included
   * by another file.
   */
  origin: 'project' | 'global' | 'config' | 'include'
  /** For an include: the path of the including file. */
  from?: string
  /**
   * `loaded`: it is used; `truncated`: its beginning and end are used; `empty`: it has no text; `skipped`: it was left
   * out on purpose, for example because it is already there; `failed`: it could not be read.
   */
  status: 'loaded' | 'empty' | 'skipped' | 'failed' | 'truncated'
  /**
   * The text, without front matter and with its includes; only if `loaded` or `truncated`. The text of
   * an include is part of the including file's text.
   */
  text?: string
  /** Its original size, if known. */
  bytes: number
  /**
   * Why it is not used, or not completely; always set unless `loaded`. If `loaded`, how many bytes were
   * replaced because they are not UTF-8, if any.
   */
  reason?: string
  /** For a rule that applies to certain paths: their patterns. `InstructionPrompt.resolve` returns such rules. */
  appliesTo?: string[]
  /** For a rule: its `description`. */
  description?: string
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
  own: InstructionFetch | undefined,
) => {
  const found = await settled(find)
  const fetch: InstructionFetch = (url, init) =>
    own === undefined ? globalThis.fetch(url, init) : Reflect.apply(own, options, [url, init])
  const { urls, ...limits } = found.requests()
  const [responses] = await Promise.all([
    Promise.all(Array.from(urls, (url) => fetchUrl(url, limits, fetch))),
    settled(() => found.read()),
  ])
  const [parts, sources] = parse(found.finish(responses)) as [string[], LoadedInstruction[]]
  return { parts, sources }
}
