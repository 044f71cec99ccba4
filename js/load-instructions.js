'use strict'
/** Loads instructions: native code finds and reads files, and JavaScript fetches URLs meanwhile. */
const { errorOf } = require('./errors.js')
const { fetchUrl } = require('./fetch-url.js')

/**
 * The result of a native call, with its failures turned into errors of this realm.
 * @template T
 * @param {() => Promise<T>} call
 * @returns {Promise<T>}
 */
const settled = async (call) => {
  try {
    return await call()
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * The parts of a prompt, and what happened to every source that was considered.
 * @param {() => Promise<import('../binding.js').InstructionSources>} find Finds the sources.
 * @param {unknown} options The `this` of a caller-supplied `fetch`.
 * @param {Function | undefined} own That `fetch`.
 * @returns {Promise<import('../index.d.ts').SystemPromptReport>}
 */
const loadInstructions = async (find, options, own) => {
  const found = await settled(find)
  /** @param {string} url @param {object} init */
  const fetch = (url, init) =>
    own === undefined ? globalThis.fetch(url, init) : Reflect.apply(own, options, [url, init])
  const { urls, ...limits } = found.requests()
  const [responses] = await Promise.all([
    Promise.all(Array.from(urls, (url) => fetchUrl(url, limits, fetch))),
    settled(() => found.read()),
  ])
  const { parts, sources } = found.finish(responses)
  return { parts: [...parts], sources: Array.from(sources, copied) }
}

/**
 * A copy, because objects of native code belong to another realm in Jest and in vm contexts.
 * @param {import('../binding.js').LoadedInstruction} source
 * @returns {import('../index.d.ts').LoadedInstruction}
 */
const copied = (source) =>
  /** @type {any} */ ({ ...source, ...(source.appliesTo && { appliesTo: [...source.appliesTo] }) })

module.exports = { loadInstructions, settled }
