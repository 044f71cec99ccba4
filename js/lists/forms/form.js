'use strict'
/**
 * The interface of a list form.
 * @typedef {InstanceType<typeof import('../measure.js').Measure>} Measure
 *
 * @typedef {object} Links What ties a message to others.
 * @property {'user' | 'model' | 'results'} kind Whether the user begins a turn with it, the model has
 *   written it, or it has the results of tool calls.
 * @property {string[]} calls The ids of tool calls that need a result in another message.
 * @property {string[]} results The ids of the calls whose results it has.
 * @property {Set<string>} [waiting] The calls that need no result yet.
 *
 * @typedef {object} ListForm
 * @property {boolean} startsWithUser Whether the first message has to be from the user.
 * @property {boolean} resultsAnywhere Whether results may be anywhere after their calls. Otherwise, they
 *   follow the message with the calls.
 * @property {boolean} runsTogether Whether consecutive messages of the model belong together.
 * @property {(message: any) => boolean} isSystem Whether a message is an instruction, which stays.
 * @property {(message: any, path: string) => Links} links
 * @property {(message: any, path: string, measure: Measure) => void} measure
 */

/** @param {Links['kind']} kind @returns {Links} */
const noLinks = (kind) => ({ kind, calls: [], results: [] })

module.exports = { noLinks }
