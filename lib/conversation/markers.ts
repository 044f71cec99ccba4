/**
 * Routing markers in answers: `[NEXT: max]`, also with several names, in any letter case, but not in
 * code. They say who an answer is for, and are removed from its text.
 */
// No brackets inside, so the time is linear for any text.
const MARKER = /\[next:([^[\]\n]*)\]/gi
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The parts of a line that are inline code, ascending: from a run of backticks to the next one of the same length. */
const codeIn = (line: string): { start: number; end: number }[] => {
  const runs = Array.from(line.matchAll(/`+/g), ({ 0: run, index }) => ({ length: run.length, index, end: -1 }))
  /** Where the next run of a length ends. */
  const ends: Map<number, number> = new Map()
  for (const run of runs.toReversed()) {
    run.end = ends.get(run.length) ?? -1
    ends.set(run.length, run.index + run.length)
  }
  const code = []
  let last = 0
  for (const { index, end } of runs) {
    if (index < last || end === -1) continue
    code.push({ start: index, end })
    last = end
  }
  return code
}

/** A line without its markers. Undefined if nothing else was in it. */
const lineWithoutMarkers = (line: string, names: string[]) => {
  const code = codeIn(line)
  let next = 0
  let text = ''
  let end = 0
  for (const { 0: marker, 1: list = '', index } of line.matchAll(MARKER)) {
    while ((code[next]?.end ?? Infinity) <= index) next += 1
    if ((code[next]?.start ?? Infinity) <= index) continue
    names.push(...namesIn(list))
    text += line.slice(end, index)
    end = index + marker.length
    // Keeps one of the spaces on both sides.
    if ((text === '' || text.endsWith(' ')) && line[end] === ' ') end += 1
  }
  if (end === 0) return line
  text += line.slice(end)
  return text.trim() === '' ? undefined : text.trimEnd()
}

const namesIn = (list: string) =>
  list
    .split(/[,，、]/)
    .map((name) => name.trim().replace(/^@/, ''))
    .filter((name) => name !== '')

/** An answer without its markers, and the names in them. */
export const parseMarkers = (answer: string): { text: string; names: string[] } => {
  if (!/\[next:/i.test(answer)) return { text: answer, names: [] }
  const names: string[] = []
  const lines: string[] = []
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
