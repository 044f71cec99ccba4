'use strict'
/** Loads instructions: native code finds and reads files, and JavaScript fetches URLs meanwhile. */
const native = require('../binding.js')
const { errorOf } = require('./errors.js')
const { fetchUrl } = require('./fetch-url.js')

/**
 * What a call of native code comes to, with its failures as errors of this realm.
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
 * @typedef {object} Wanted
 * @property {boolean} [parts] The parts of a prompt.
 * @property {boolean} [sources] What became of everything that was considered.
 */

/**
 * @param {any} options Where `fetch` is, if the caller has one.
 * @param {(fetch: unknown) => Promise<string>} find Finds what there is.
 * @param {Wanted} wanted
 * @returns {Promise<{ parts: string[], sources: import('../index.d.ts').LoadedInstruction[] }>}
 */
const loadInstructions = async (options, find, wanted) => {
  const own = options?.fetch
  const found = JSON.parse(await settled(() => find(own)))
  /** @param {string} url @param {object} init */
  const fetch = (url, init) => typeof own === 'function' ? Reflect.apply(own, options, [url, init]) : globalThis.fetch(url, init)
  const responses = Promise.all(found.urls.map((/** @type {string} */ url) => fetchUrl(url, found, fetch)))
  const handle = await settled(() => native.readSources(found.handle))
  const bodies = await responses
  return JSON.parse(await settled(() => native.finishSources(handle, bodies, wanted.parts === true, wanted.sources === true)))
}

module.exports = { loadInstructions, settled }
