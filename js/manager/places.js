'use strict'
/**
 * Where the messages of a view stand in the conversation. Reports and the page refer to messages this
 * way. The view itself is input for an assembler, which does not need it.
 */

/** @typedef {{ index: number, id: string | undefined }} Place */

/** @type {WeakMap<object, Place[]>} */
const places = new WeakMap()

/** @param {object} messages The list of a view. @param {Place[]} found */
const keepPlaces = (messages, found) => void places.set(messages, found)

/** The places of the messages of a list, if it is one of a view. @param {object} messages */
const placesOf = (messages) => places.get(messages)

module.exports = { keepPlaces, placesOf }
