/**
 * What an agent has done, from its tool calls: the files that it has written, the commands that it has
 * run, and its last plan. No model is asked.
 */
import { isObject } from '../checks/kinds.js'
import { TOOLS, type ToolFacts } from './tools.js'
import type { MessagePart, ToolCallPart } from '../messages/parts.js'

const MAX_COMMAND = 200
const PATCH = '*** Begin Patch'
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gm
const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/g

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

const fact = <T>(table: { [name: string]: T }, name: string) => (Object.hasOwn(table, name) ? table[name] : undefined)

const argument = (input: unknown, name: string) =>
  isObject(input) && Object.hasOwn(input, name) ? input[name] : undefined

/** A patch, which may be all of the input, or be one of its arguments. */
const patchOf = (input: unknown, name: string) => {
  const patch = typeof input === 'string' ? input : argument(input, name)
  return typeof patch === 'string' ? patch : ''
}

/** A command as one text: some CLIs store a list of arguments. */
const commandText = (command: unknown) => {
  if (Array.isArray(command)) return command.filter((word) => typeof word === 'string').join(' ')
  return isText(command) ? command : ''
}

const commandLine = (command: string, redact: (text: string) => string) => {
  const line = redact(command).trim().replaceAll(LINE_BREAKS, ' ⏎ ')
  const characters = Array.from(line.slice(0, 4 * MAX_COMMAND))
  return characters.length <= MAX_COMMAND ? line : `${characters.slice(0, MAX_COMMAND).join('')}…`
}

/** A path relative to the session's directory, if it is inside it. */
const shortPath = (path: string, cwd: string | undefined) => {
  const line = path.trim().replaceAll(LINE_BREAKS, ' ')
  if (cwd === undefined || cwd.length < 2 || !line.startsWith(cwd)) return line
  const rest = line.slice(cwd.length)
  return /^[/\\]./.test(rest) ? rest.slice(1) : line
}

const planLines = (input: unknown, { list, step }: { list: string; step: string }) => {
  const entries = argument(input, list)
  if (!Array.isArray(entries)) return undefined
  const lines = entries.flatMap((entry) => {
    const [text, status] = [argument(entry, step), argument(entry, 'status')]
    return isText(text) ? [`${isText(status) ? `[${status}] ` : ''}${text.trim().replaceAll(LINE_BREAKS, ' ')}`] : []
  })
  return lines.length === 0 ? undefined : lines
}

class Trail {
  /** How many times each file was written, the most recent one last. */
  files: Map<string, number> = new Map()
  commands: { text: string; failed: boolean }[] = []
  plan: string[] | undefined
  #cwd: string | undefined

  constructor(cwd: string | undefined) {
    this.#cwd = cwd
  }

  #wrote(file: string) {
    const path = shortPath(file, this.#cwd)
    const count = (this.files.get(path) ?? 0) + 1
    this.files.delete(path)
    this.files.set(path, count)
  }

  #patched(patch: string) {
    for (const [, changed, moved] of patch.matchAll(PATCHED)) this.#wrote(changed ?? moved ?? '')
  }

  readCall(tools: ToolFacts, { name, input }: ToolCallPart, failed: boolean) {
    const command = fact(tools.commands, name)
    if (command !== undefined) {
      const text = commandText(argument(input, command))
      // A patch may go through the shell: `apply_patch <<'EOF'`.
      const isPatch = text.includes(PATCH)
      if (isPatch && !failed) this.#patched(text)
      if (!isPatch && text !== '') this.commands.push({ text, failed })
      return
    }
    const plan = fact(tools.plans, name)
    if (plan !== undefined) this.plan = planLines(input, plan) ?? this.plan
    // A failed call has written nothing.
    if (failed) return
    const file = fact(tools.files, name)
    const path = file === undefined ? undefined : argument(input, file)
    if (isText(path)) this.#wrote(path)
    const patch = fact(tools.patches, name)
    if (patch !== undefined) this.#patched(patchOf(input, patch))
  }
}

/** @param messages Oldest first. */
export const readTrail = (
  agent: string,
  messages: readonly { parts: readonly MessagePart[] }[],
  cwd: string | undefined,
) => {
  const trail = new Trail(cwd)
  const tools = fact(TOOLS, agent)
  if (tools === undefined) return trail
  for (const { parts } of messages) {
    const failed = new Set(parts.flatMap((part) => (part.type === 'tool-result' && part.isError ? [part.id] : [])))
    for (const part of parts) if (part.type === 'tool-call') trail.readCall(tools, part, failed.has(part.id))
  }
  return trail
}

/** The newest lines that fit below a title, and the number of earlier ones. */
const listed = (title: string, lines: readonly string[], maxBytes: number) => {
  let [first, bytes] = [lines.length, 0]
  while (first > 0) {
    bytes += Buffer.byteLength(lines[first - 1] ?? '') + 1
    if (bytes > maxBytes) break
    first -= 1
  }
  if (first === lines.length) return undefined
  const more = first === 0 ? [] : [`(${first} before these are not listed)`]
  return [title, ...more, ...lines.slice(first)].join('\n')
}

const joined = (lines: readonly string[]) => {
  const runs: [line: string, count: number][] = []
  for (const line of lines) {
    const last = runs.at(-1)
    if (last?.[0] === line) last[1] += 1
    else runs.push([line, 1])
  }
  return runs.map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`))
}

/**
 * A trail as texts, most important first.
 * @param maxBytes Of each.
 */
export const trailTexts = ({ files, commands, plan }: Trail, maxBytes: number, redact: (text: string) => string) => {
  const written = Array.from(files, ([path, count]) => `${redact(path)}${count === 1 ? '' : ` (${count} times)`}`)
  // Examines no more lines than fit.
  const newest = commands.slice(-Math.max(1, maxBytes))
  const run = joined(newest.map(({ text, failed }) => `${commandLine(text, redact)}${failed ? ' (failed)' : ''}`))
  return [
    listed('Files written, newest last:', written, maxBytes),
    listed('The plan, as it was written last:', plan ?? [], maxBytes),
    listed('Commands run, newest last:', run, maxBytes),
  ].filter((text) => text !== undefined)
}
