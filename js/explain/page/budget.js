'use strict'
/**
 * What another budget would keep. It runs in the page, which looks it up in a table that the addon has made.
 *
 * @typedef {{ head: number, tail: number }} Cut How many bytes remain at each end.
 * @typedef {'summary' | 'parent' | 'message' | 'file'} CutText
 * @typedef {object} BudgetRow What the budgets from `from` to `to` keep.
 * @property {number} from
 * @property {number} to
 * @property {boolean} fits If not, the sizes are those of the required parts.
 * @property {number} totalBytes
 * @property {number} [totalTokens]
 * @property {number} first The oldest line of the window that is kept.
 * @property {number} firstFitting The oldest line that fits.
 * @property {number} messages How many are kept, the pinned ones included.
 * @property {number} siblings How many replies are kept.
 * @property {number[]} sections Bytes of each section.
 * @property {number[]} [sectionTokens] Tokens of each section, if the table is in tokens.
 * @property {{ [text in CutText]?: Cut } & { results?: [line: number, bytes: number][] }} [cuts] What is left of texts that are cut, and of lines whose tool results are.
 *
 * @typedef {object} BudgetTable
 * @property {'bytes' | 'tokens'} unit Of budgets.
 * @property {number} required The smallest budget that suffices.
 * @property {BudgetRow} whole Everything.
 * @property {string[]} sections
 * @property {number} contextHeadingBytes
 * @property {{ [text in CutText]: number }} texts The sizes of texts that end their sections, not counting a line below them.
 * @property {number} endingBytes The size of that line, with its line break.
 * @property {BudgetRow[]} rows Ascending.
 */

/**
 * The last row that begins at a budget or before it.
 * @param {BudgetTable} table
 * @param {number} budget
 */
const rowAt = ({ rows }, budget) => {
  let [low, high] = [0, rows.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (/** @type {BudgetRow} */ (rows[middle]).from <= budget) low = middle
    else high = middle
  }
  return /** @type {BudgetRow} */ (rows[low])
}

/**
 * What happens to a line of the conversation that is not pinned.
 * @param {{ first: number, firstFitting: number }} kept
 * @param {number} line
 * @returns {'kept' | 'budget' | 'step'}
 */
const fateOf = ({ first, firstFitting }, line) => {
  if (line >= first) return 'kept'
  return line < firstFitting ? 'budget' : 'step'
}

module.exports = { fateOf, rowAt }
