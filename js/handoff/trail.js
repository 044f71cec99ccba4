'use strict'
/**
 * What an agent has done, from its tool calls: the files that it has written, the commands that it has
 * run, and its last plan. No model is asked.
 */
const { TOOLS } = require('./tools.js')

/** @typedef {import('../../index.d.ts').MessagePart} MessagePart */
/** @typedef {{ parts: readonly any[] }} Acts What a message says and does. */

/** How many characters of a command are shown. */
const MAX_COMMAND = 200
const PATCH = '*** Begin Patch'
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gm
const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/g

/** @param {unknown} value */
const isText = (value) => typeof value === 'string' && value.trim() !== ''

/** @param {{ [name: string]: any }} table @param {string} name */
const fact = (table, name) => (Object.hasOwn(table, name) ? table[name] : undefined)

/** An argument of a call. @param {any} input @param {string} name */
const argument = (input, name) =>
  typeof input === 'object' && input !== null && Object.hasOwn(input, name) ? input[name] : undefined

/** A patch, which may be all of the input, or be one of its arguments. @param {any} input @param {string} name */
const patchOf = (input, name) => {
  const patch = typeof input === 'string' ? input : argument(input, name)
  return typeof patch === 'string' ? patch : ''
}

/** A command as one text: some CLIs store a list of arguments. @param {unknown} command */
const commandText = (command) => {
  if (Array.isArray(command)) return command.filter((word) => typeof word === 'string').join(' ')
  return isText(command) ? String(command) : ''
}

/** A command on one line. @param {string} command @param {(text: string) => string} redact */
const commandLine = (command, redact) => {
  const line = redact(command).trim().replaceAll(LINE_BREAKS, ' ⏎ ')
  const characters = Array.from(line.slice(0, 4 * MAX_COMMAND))
  return characters.length <= MAX_COMMAND ? line : `${characters.slice(0, MAX_COMMAND).join('')}…`
}

/** A path relative to the session's directory, if it is inside it. @param {string} path @param {string | undefined} cwd */
const shortPath = (path, cwd) => {
  const line = path.trim().replaceAll(LINE_BREAKS, ' ')
  if (cwd === undefined || cwd.length < 2 || !line.startsWith(cwd)) return line
  const rest = line.slice(cwd.length)
  return /^[/\\]./.test(rest) ? rest.slice(1) : line
}

/** @param {any} input @param {{ list: string, step: string }} fields */
const planLines = (input, { list, step }) => {
  const entries = argument(input, list)
  if (!Array.isArray(entries)) return undefined
  const lines = entries.flatMap((entry) => {
    const [text, status] = [argument(entry, step), argument(entry, 'status')]
    return isText(text) ? [`${isText(status) ? `[${status}] ` : ''}${text.trim().replaceAll(LINE_BREAKS, ' ')}`] : []
  })
  return lines.length === 0 ? undefined : lines
}

class Trail {
  /** How many times each file was written, the most recent one last. @type {Map<string, number>} */
  files = new Map()
  /** @type {{ text: string, failed: boolean }[]} */
  commands = []
  /** @type {string[] | undefined} */
  plan

  /** @param {string} path */
  wrote(path) {
    const count = (this.files.get(path) ?? 0) + 1
    this.files.delete(path)
    this.files.set(path, count)
  }
}

/**
 * @param {string} agent
 * @param {readonly Acts[]} messages Oldest first.
 * @param {string | undefined} cwd
 */
const readTrail = (agent, messages, cwd) => {
  const trail = new Trail()
  const tools = Object.hasOwn(TOOLS, agent) ? TOOLS[agent] : undefined
  if (tools === undefined) return trail
  for (const { parts } of messages) {
    const failed = new Set(parts.flatMap((part) => (part.type === 'tool-result' && part.isError ? [part.id] : [])))
    for (const part of parts) if (part.type === 'tool-call') readCall(trail, tools, part, failed.has(part.id), cwd)
  }
  return trail
}

/**
 * @param {Trail} trail
 * @param {import('./tools.js').ToolFacts} tools
 * @param {any} call
 * @param {boolean} failed
 * @param {string | undefined} cwd
 */
const readCall = (trail, tools, { name, input }, failed, cwd) => {
  const command = fact(tools.commands, name)
  if (command !== undefined) {
    const text = commandText(argument(input, command))
    // A patch may go through the shell: `apply_patch <<'EOF'`.
    if (text.includes(PATCH)) readPatch(trail, text, failed, cwd)
    else if (text !== '') trail.commands.push({ text, failed })
    return
  }
  const plan = fact(tools.plans, name)
  if (plan !== undefined) trail.plan = planLines(input, plan) ?? trail.plan
  // A failed call has written nothing.
  if (failed) return
  const file = fact(tools.files, name)
  const path = file === undefined ? undefined : argument(input, file)
  if (isText(path)) trail.wrote(shortPath(path, cwd))
  const patch = fact(tools.patches, name)
  if (patch !== undefined) readPatch(trail, patchOf(input, patch), failed, cwd)
}

/** @param {Trail} trail @param {string} patch @param {boolean} failed @param {string | undefined} cwd */
const readPatch = (trail, patch, failed, cwd) => {
  if (failed) return
  for (const [, changed, moved] of patch.matchAll(PATCHED)) trail.wrote(shortPath(changed ?? moved ?? '', cwd))
}

/**
 * The newest lines that fit below a title, and the number of earlier ones.
 * @param {string} title
 * @param {readonly string[]} lines
 * @param {number} maxBytes
 */
const listed = (title, lines, maxBytes) => {
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

/** Merges equal consecutive lines. @param {readonly string[]} lines */
const joined = (lines) => {
  /** @type {[line: string, count: number][]} */
  const runs = []
  for (const line of lines) {
    const last = runs.at(-1)
    if (last?.[0] === line) last[1] += 1
    else runs.push([line, 1])
  }
  return runs.map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`))
}

/**
 * A trail as texts, most important first.
 * @param {Trail} trail
 * @param {number} maxBytes Of each.
 * @param {(text: string) => string} redact
 */
const trailTexts = ({ files, commands, plan }, maxBytes, redact) => {
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

module.exports = { readTrail, trailTexts }
