'use strict'
/**
 * What native code knows of earlier messages. Everything about a message but its content is its
 * envelope: who wrote it, and whom it is for. Messages of one speaker to one addressee have the
 * same envelope, so it crosses once and is then known by a number.
 *
 * Strings are compared and nothing is decided: an envelope that is not the same in every field
 * is passed to native code again.
 */

/** The number for envelopes that are used once. */
const TEMPORARY = 0
const MAX_ENVELOPES = 1024

/**
 * @typedef {object} Known
 * @property {number} number
 * @property {unknown} name
 * @property {unknown} displayName
 * @property {unknown} type
 */

/** Stands for no addressee; no string is the same. */
const NOBODY = Symbol('nobody')

/**
 * The only addressee of a message, if it has no more than one and that is a string.
 * @param {any} routing
 * @param {unknown} resolvedAddressees
 * @param {unknown} addressees
 * @returns {string | typeof NOBODY | undefined}
 */
const onlyAddressee = (routing, resolvedAddressees, addressees) => {
  if (routing === undefined || routing === null) return NOBODY
  if (addressees !== undefined || !Array.isArray(resolvedAddressees) || resolvedAddressees.length !== 1) return undefined
  const [addressee] = resolvedAddressees
  return typeof addressee === 'string' ? addressee : undefined
}

class Envelopes {
  /** @type {Map<unknown, Map<unknown, Known>>} By the speaker's id, then by the addressee. */
  #known = new Map()
  #size = 0

  /**
   * The number of an envelope that native code has.
   * @param {unknown} id
   * @param {unknown} name
   * @param {unknown} displayName
   * @param {unknown} type
   * @param {unknown} addressee
   */
  find(id, name, displayName, type, addressee) {
    const known = this.#known.get(id)?.get(addressee)
    const isSame = known !== undefined && known.name === name && known.displayName === displayName && known.type === type
    return isSame ? known.number : undefined
  }

  /**
   * The number under which native code is to keep an envelope.
   * @param {unknown} id
   * @param {unknown} addressee
   */
  numberFor(id, addressee) {
    const known = this.#known.get(id)?.get(addressee)
    if (known !== undefined) return known.number
    if (this.#size >= MAX_ENVELOPES) this.clear()
    return this.#size + 1
  }

  /**
   * Remembers an envelope that native code has kept.
   * @param {unknown} id
   * @param {unknown} name
   * @param {unknown} displayName
   * @param {unknown} type
   * @param {unknown} addressee
   * @param {number} number
   */
  add(id, name, displayName, type, addressee, number) {
    let ofSpeaker = this.#known.get(id)
    if (ofSpeaker === undefined) this.#known.set(id, (ofSpeaker = new Map()))
    ofSpeaker.set(addressee, { number, name, displayName, type })
    if (number > this.#size) this.#size = number
  }

  clear() {
    this.#known.clear()
    this.#size = 0
  }
}

module.exports = { Envelopes, TEMPORARY, onlyAddressee }
