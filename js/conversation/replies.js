'use strict'
/**
 * Routing markers in answers: `[NEXT: max]`, also with several names, in any letter case, but not in
 * code. They say whom an answer is for, and are not part of its text.
 */
const MARKER = /\[next:([^\]\n]*)\]/gi
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/**
 * The parts of a line that are inline code: pairs of as many backticks.
 * @param {string} line
 * @returns {[start: number, end: number][]}
 */
const codeIn = (line) => {
  /** @type {[number, number][]} */
  const code = []
  /** @type {Map<number, number[]>} The places of runs of backticks by their length. */
  const runs = new Map()
  const found = [...line.matchAll(/`+/g)]
  for (const { 0: run, index } of found) runs.set(run.length, [...(runs.get(run.length) ?? []), index])
  let end = 0
  for (const { 0: run, index } of found) {
    if (index < end) continue
    const places = runs.get(run.length) ?? []
    const closing = places[places.indexOf(index) + 1]
    if (closing === undefined) continue
    end = closing + run.length
    code.push([index, end])
  }
  return code
}

/**
 * A line without its markers. Undefined if nothing else was in it.
 * @param {string} line
 * @param {string[]} names
 */
const lineWithoutMarkers = (line, names) => {
  if (!/\[next:/i.test(line)) return line
  const code = codeIn(line)
  let text = ''
  let end = 0
  for (const { 0: marker, 1: list = '', index } of line.matchAll(MARKER)) {
    if (code.some(([from, to]) => index >= from && index < to)) continue
    names.push(
      ...list
        .split(/[,，、]/)
        .map((name) => name.trim().replace(/^@/, ''))
        .filter(Boolean),
    )
    const before = line.slice(end, index)
    end = index + marker.length
    // Of the spaces on both sides, one stays.
    text += /\s$|^$/.test(text + before) && line[end] === ' ' ? before.replace(/ $/, '') : before
  }
  if (end === 0) return line
  text += line.slice(end)
  return text.trim() === '' ? undefined : text.trimEnd()
}

/**
 * An answer without its markers, and the names in them.
 * @param {string} answer
 * @returns {{ text: string, names: string[] }}
 */
const parseMarkers = (answer) => {
  if (!/\[next:/i.test(answer)) return { text: answer, names: [] }
  /** @type {string[]} */
  const names = []
  /** @type {string[]} */
  const lines = []
  let fence = ''
  for (const line of answer.split('\n')) {
    const [, mark = ''] = FENCE.exec(line) ?? []
    if (fence !== '') {
      if (mark.startsWith(fence) && line.trim() === mark) fence = ''
      lines.push(line)
    } else {
      fence = mark
      const left = lineWithoutMarkers(line, names)
      if (left !== undefined) lines.push(left)
    }
  }
  return { text: names.length === 0 ? answer : lines.join('\n').trim(), names }
}

module.exports = { parseMarkers }
