/** JSON with the place of a mistake. Every version of Node words it differently, and some omit it. */

type JsonMistake = { line: number; column: number; problem: string }

const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// A control character in a string is a mistake.
// oxlint-disable-next-line no-control-regex
const SPECIAL = /["\\\u0000-\u001f]/g
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y
const SPACE = /[ \t\r\n]*/y

/** The first place where a text stops being JSON. There is no recursion: a text may be nested a million deep. */
const findMistake = (text: string) => {
  let at = 0
  /** What is open: `}` or `]`. */
  const open: string[] = []
  let expected: 'value' | 'first' | 'key' | 'firstKey' | 'after' = 'value'
  for (;;) {
    at = endOf(SPACE, text, at) ?? at
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
      if (next !== '"') return { at, problem: 'a name in double quotes was expected' }
      const string = readString(text, at)
      if (string.problem !== undefined) return { at: string.at, problem: string.problem }
      at = endOf(SPACE, text, string.at) ?? string.at
      if (text[at] !== ':') return { at, problem: "':' was expected" }
      expected = 'value'
      at++
    } else if (next === '{' || next === '[') {
      open.push(next === '{' ? '}' : ']')
      expected = next === '{' ? 'firstKey' : 'first'
      at++
    } else {
      const found = next === '"' ? readString(text, at) : { at: endOf(WORD, text, at), problem: undefined }
      if (found.at === undefined) return { at, problem: 'a value was expected' }
      if (found.problem !== undefined) return { at: found.at, problem: found.problem }
      expected = 'after'
      at = found.at
    }
  }
}

const endOf = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/**
 * Where a string ends, or what is wrong with it. One regular expression would run out of stack, because a
 * string may be megabytes long.
 */
const readString = (text: string, start: number): { at: number; problem: string | undefined } => {
  SPECIAL.lastIndex = start + 1
  for (;;) {
    const character = SPECIAL.exec(text)?.[0]
    if (character === undefined) return { at: text.length, problem: 'a string does not end' }
    const at = SPECIAL.lastIndex - 1
    if (character === '"') return { at: at + 1, problem: undefined }
    if (character !== '\\') return { at, problem: 'a string ends before the end of the line' }
    const end = endOf(ESCAPE, text, at)
    if (end === undefined) return { at, problem: 'this is not a JSON escape sequence' }
    SPECIAL.lastIndex = end
  }
}

const countCharacters = (text: string) => {
  let count = 0
  for (const _ of text) count++
  return count
}

export const parseJson = (text: string): { value: unknown } | { mistake: JsonMistake } => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    const found = findMistake(text) ?? { at: text.length, problem: 'this is not JSON' }
    const before = text.slice(0, found.at).split(/\r\n|\r|\n/)
    const problem = found.at >= text.length ? `the text ends here: ${found.problem}` : found.problem
    return { mistake: { line: before.length, column: countCharacters(before.at(-1) ?? '') + 1, problem } }
  }
}
