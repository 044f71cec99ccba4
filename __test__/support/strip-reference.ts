/**
 * Marker stripping once more, as plainly as possible: take out one marker, close its gap,
 * look at the whole text again, repeat. Quadratic and obvious, to compare the real one with.
 */

/** `[FROM:x]`, `[NEXT:x]`, `[DROP:x]`: on one line. `[TEAM_TASK: x]`: over lines, but not over a blank one. */
const OPENING = /\[(?:from|next|drop|team_task):/gi

const TASK_TITLE = '[team_task]'

const isBlank = (line: string): boolean => line.trim() === ''
const isTaskTitle = (line: string): boolean => line.trim().toLowerCase() === TASK_TITLE
const isTitle = (line: string): boolean => /^\[\p{Alphabetic}[^\]]*\]/u.test(line.trim())

/** The lines of a text, each with its line break. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/**
 * The text without some lines. One of the blank lines on both sides of the gap goes with
 * them; at the beginning and at the end of the text, all that are next to it.
 */
const withoutLines = (lines: string[], from: number, to: number): string => {
  const before = lines.slice(0, from)
  const after = lines.slice(to)
  if (after.length === 0) {
    while (before.length > 0 && isBlank(before.at(-1) ?? '')) before.pop()
    return before.join('').replace(/\r?\n$/, '')
  }
  if (before.length === 0) {
    while (after.length > 0 && isBlank(after[0] ?? '')) after.shift()
  } else if (isBlank(before.at(-1) ?? '') && isBlank(after[0] ?? '')) {
    after.shift()
  }
  return [...before, ...after].join('')
}

/** The text without its first `[TEAM_TASK]` that stands alone on its line; undefined if there is none. */
const withoutTask = (text: string): string | undefined => {
  const lines = linesOf(text)
  const start = lines.findIndex(isTaskTitle)
  if (start < 0) return undefined
  const next = lines.findIndex((line, index) => index > start + 1 && isTitle(line) && isBlank(lines[index - 1] ?? ''))
  // The blank line before the next title stays.
  return withoutLines(lines, start, next < 0 ? lines.length : next - 1)
}

const mayStandInMarker = (opening: string, inside: string): boolean => {
  if (inside.includes(']')) return false
  if (!/team_task/i.test(opening)) return !inside.includes('\n')
  const below = inside.split('\n').slice(1, -1)
  return !below.some(isBlank)
}

/** Where the marker that ends first begins and ends: of nested ones, the innermost. */
const findMarker = (text: string): [number, number] | undefined => {
  for (let end = text.indexOf(']'); end >= 0; end = text.indexOf(']', end + 1)) {
    const openings = [...text.slice(0, end).matchAll(OPENING)]
    const innermost = openings.findLast(({ 0: opening, index }) =>
      mayStandInMarker(opening, text.slice(index + opening.length, end)))
    if (innermost) return [innermost.index, end + 1]
  }
  return undefined
}

/** The text without its first marker; undefined if there is none. */
const withoutMarker = (text: string): string | undefined => {
  const marker = findMarker(text)
  if (!marker) return undefined
  let before = text.slice(0, marker[0])
  let after = text.slice(marker[1])
  const left = before.slice(before.lastIndexOf('\n') + 1)
  const right = /^[^\n]*/.exec(after)?.[0] ?? ''
  if (isBlank(left + right)) {
    const index = linesOf(before.slice(0, before.length - left.length)).length
    const lines = linesOf(before + after)
    // On a last line of which nothing at all is left, there is no line to take out.
    if (index === lines.length) lines.push('')
    return withoutLines(lines, index, index + 1)
  }
  // The edges of a line count as a space.
  if (/(?:^|[ \t])$/.test(left) && after.startsWith(' ')) after = after.slice(1)
  if (/^(?:$|\r?\n)/.test(after) && before.endsWith(' ')) before = before.slice(0, -1)
  return before + after
}

const repeatedly = (text: string, once: (text: string) => string | undefined): string => {
  const next = once(text)
  return next === undefined ? text : repeatedly(next, once)
}

export const referenceStrip = (text: string): string => {
  const stripped = repeatedly(repeatedly(text, withoutTask), withoutMarker)
  return stripped === text ? text : referenceStrip(stripped)
}
