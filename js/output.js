'use strict'
/**
 * Results, made here so that they belong to the realm of the caller. Native code returns a
 * string, a Buffer or a number; the system flag and the report come in `slots`.
 */
const native = require('../binding.js')

/** A copy: an object that native code has made is slow to read. */
const FORMS = {
  string: native.OutputForm.Text,
  buffer: native.OutputForm.Buffer,
  into: native.OutputForm.Into,
}

/** Added to a form if a report is wanted besides. */
const WITH_REPORT = native.REPORT_FLAG

const { allocUnsafe } = Buffer
const { parse } = JSON

/** Where native code leaves the system flag and the report: `FLAG_SLOT`, `REPORT_SLOT` there. */
const FLAG = 0
const REPORT = 1

/** @type {[systemFlag: string | undefined, report: string | undefined]} */
const slots = [undefined, undefined]

/**
 * The slots, empty. No code of the caller's runs from when native code fills them until they
 * are taken.
 */
const emptySlots = () => {
  slots[FLAG] = undefined
  return slots
}

/** @returns {string | undefined} */
const takeFlag = () => {
  const flag = slots[FLAG]
  slots[FLAG] = undefined
  return flag
}

/** The report that native code has left. */
const takeReport = () => {
  const report = parse(/** @type {string} */ (slots[REPORT]))
  slots[REPORT] = undefined
  return report
}

/** @typedef {import('./form.js').Form} Form */

/**
 * The number of a form for native code.
 * @param {Form} form
 * @param {number} [report] `WITH_REPORT` if somebody else wants one, too.
 */
const formNumber = ({ kind, report: isReported }, report = 0) => FORMS[kind] + (isReported ? WITH_REPORT : report)

/**
 * What native code fills: a function that allocates, the caller's buffer, or nothing.
 * @param {Form} form
 */
const targetOf = ({ kind, into }) => (kind === 'buffer' ? allocUnsafe : into)

/**
 * The result, of what native code has returned.
 * @param {Form} form
 * @param {any} made
 * @param {string[]} [contents]
 * @returns {any}
 */
const outputOf = ({ kind, report: isReported }, made, contents) => {
  const systemFlag = takeFlag()
  if (kind === 'into') return isReported ? { bytes: made, systemFlag, report: takeReport() } : { bytes: made, systemFlag }
  const prompt = kind === 'buffer' || typeof made === 'string' ? made : joinedPrompt(made, contents ?? [])
  return isReported ? { prompt, systemFlag, report: takeReport() } : { prompt, systemFlag }
}

/**
 * Joins the prompt of the caller's own strings and of ours. The first of `made` has the pieces,
 * two units each: the number of one of the texts that follow it, or 0 for a content. Contents
 * come newest first, so it is filled from its end.
 * @param {string[]} made
 * @param {string[]} contents
 */
const joinedPrompt = (made, contents) => {
  const pieces = /** @type {string} */ (made[0])
  const parts = []
  // Filled from its end, a large array without a length would become a dictionary.
  parts.length = pieces.length >> 1
  let newest = 0
  for (let at = pieces.length - 2; at >= 0; at -= 2) {
    const number = pieces.charCodeAt(at) | pieces.charCodeAt(at + 1) << 16
    parts[at >> 1] = number === 0 ? contents[newest++] : made[number]
  }
  return parts.join('')
}

module.exports = { WITH_REPORT, emptySlots, formNumber, outputOf, takeReport, targetOf }
