'use strict'
/** JSON with the place of a mistake. Each version of Node says it in other words, and some not at all. */

/** @typedef {{ line: number, column: number, problem: string }} JsonMistake */

const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// A control character in a string is a mistake.
// oxlint-disable-next-line no-control-regex
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y
const SPACE = /[ \t\r\n]*/y

/**
 * The first place where a text stops being JSON. There is no recursion: a text may be nested
 * a million deep.
 * @param {string} text
 */
const findMistake = (text) => {
  let at = 0
  /** What is open: `}` or `]`. @type {string[]} */
  const open = []
  /** @type {'value' | 'first' | 'key' | 'firstKey' | 'after'} */
  let expected = 'value'
  for (;;) {
    SPACE.lastIndex = at
    SPACE.test(text)
    at = SPACE.lastIndex
    const next = text[at]
    if (expected === 'after') {
      const close = open.at(-1)
      if (close === undefined) return next === undefined ? undefined : { at, problem: 'nothing more was expected' }
      if (next === close) open.pop()
      else if (next === ',') expected = close === '}' ? 'key' : 'value'
      else return { at, problem: `',' or '${close}' was expected` }
      at++
    } else if ((expected === 'first' || expected === 'firstKey') && next === open.at(-1)) {
      open.pop()
      expected = 'after'
      at++
    } else if (expected === 'key' || expected === 'firstKey') {
      const end = endOf(STRING, text, at)
      if (end === undefined)
        return next === '"' ? brokenString(text, at) : { at, problem: 'a name in double quotes was expected' }
      SPACE.lastIndex = end
      SPACE.test(text)
      at = SPACE.lastIndex
      if (text[at] !== ':') return { at, problem: "':' was expected" }
      expected = 'value'
      at++
    } else if (next === '{' || next === '[') {
      open.push(next === '{' ? '}' : ']')
      expected = next === '{' ? 'firstKey' : 'first'
      at++
    } else {
      const end = endOf(next === '"' ? STRING : WORD, text, at)
      if (end === undefined) return next === '"' ? brokenString(text, at) : { at, problem: 'a value was expected' }
      expected = 'after'
      at = end
    }
  }
}

/** @param {RegExp} pattern @param {string} text @param {number} at */
const endOf = (pattern, text, at) => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** @param {string} text @param {number} start */
const brokenString = (text, start) => {
  let at = start + 1
  while (at < text.length && (text[at] ?? '') >= ' ') {
    if (text[at] === '"') break
    if (text[at] === '\\') {
      const isEscape = endOf(/\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y, text, at)
      if (isEscape === undefined) return { at, problem: 'this is no escape sequence of JSON' }
      at = isEscape
    } else at++
  }
  return at < text.length
    ? { at, problem: 'a string ends before the end of the line' }
    : { at, problem: 'a string does not end' }
}

/**
 * @param {string} text
 * @returns {{ value: unknown } | { mistake: JsonMistake }}
 */
const parseJson = (text) => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    const found = findMistake(text) ?? { at: text.length, problem: 'this is not JSON' }
    const before = text.slice(0, found.at).split(/\r\n|\r|\n/)
    const problem = found.at >= text.length ? `the text ends here: ${found.problem}` : found.problem
    return { mistake: { line: before.length, column: [...(before.at(-1) ?? '')].length + 1, problem } }
  }
}

module.exports = { parseJson }
