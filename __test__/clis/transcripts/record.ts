/* oxlint-disable no-await-in-loop -- one after the other */
/** Records what a CLI stores of a session, for the tests of `readTranscript`, shortened and without details of this machine. */
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { listSessions, withExport } from '../../../dist/transcripts/opencode.js'
import type { Rig } from '../rig.js'
import { STAGES, Session, marksIn } from './session.js'

const FOLDER = join(import.meta.dirname, '..', '..', 'transcripts', 'stages')

/** What belongs to sessions in the folder of each CLI. */
const KEPT: Record<string, RegExp> = {
  claude: /^projects\/.*\.jsonl$/,
  codex: /^sessions\/.*\.jsonl$/,
  gemini: /^tmp\/[^/]+\/(?:chats\/.*\.jsonl|\.project_root)$/,
  qwen: /^projects\/.*\.jsonl$/,
  copilot: /^session-state\/[^/]+\/events\.jsonl$/,
}

/** Texts that the CLI has written itself are cut at this length: none of them is needed to the end. */
const [OWN_UNITS, ELEMENTS] = [60, 2]
/** But this is, to know where a summary begins. */
const NEEDED = 'The summary below covers'

const cut = (text: string, units: number): string => (text.length > units ? `${text.slice(0, units)}…` : text)

const shortText = (text: string): string =>
  marksIn(text).length === 0
    ? cut(text, OWN_UNITS)
    : text
        .split('\n')
        .map((line) => cut(line, marksIn(line).length > 0 || line.includes(NEEDED) ? 3 * OWN_UNITS : OWN_UNITS))
        .join('\n')

/** A value with short texts, and lists without marks with few elements. */
const short = (value: unknown): unknown => {
  if (typeof value === 'string') return shortText(value)
  if (Array.isArray(value)) {
    const isOwn = marksIn(JSON.stringify(value)).length === 0
    return (isOwn ? value.slice(0, ELEMENTS) : value).map(short)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, short(each)]))
}

/** Requests as they were sent, and lists of what there is, are the program's own. */
const OWN_KINDS = new Set([
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'attachment',
  'cost-state',
  'session.shutdown',
  'session.usage_record',
  'token_usage_record',
  'world_state',
])

const shortLine = (line: string): string => {
  if (line === '') return line
  const value = JSON.parse(line)
  // What Codex goes on with after a compaction repeats what was said.
  if (value.type === 'compacted') value.payload.replacement_history = []
  if (!OWN_KINDS.has(value.type)) return JSON.stringify(short(value))
  const isPlace = ([key, each]: [string, unknown]): boolean => typeof each !== 'object' || each === null || key === 'id'
  return JSON.stringify(short(Object.fromEntries(Object.entries(value).filter(isPlace))))
}

/** Makes what names this machine the same on all of them. */
const anonymous = (text: string, rig: Rig, cwd: string): string =>
  text
    .replaceAll(cwd, '/work/project-0')
    // Some leave out the first slash.
    .replaceAll(cwd.slice(1), 'work/project-0')
    .replaceAll(rig.home, '/home/user')
    .replaceAll(dirname(rig.home), '/home/user')
    .replaceAll(rig.standIn.url, 'http://127.0.0.1:1')
    .replaceAll(cwd.replaceAll(/[^a-z\d]/gi, '-'), '-work-project-0')

const writeRecording = async (path: string, text: string): Promise<void> => {
  const file = join(FOLDER, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

/** opencode keeps a database: what it exports is recorded. */
const recordExports = async (rig: Rig, cwd: string): Promise<void> => {
  const database = join(rig.home, '.local/share/opencode/opencode.db')
  const command = join(rig.programs, rig.cli.command)
  const [session] = await listSessions(database, command, cwd)
  if (session === undefined) throw new Error('there is no session')
  await withExport(database, command, session, async (file: string) => {
    const folder = dirname(file)
    const names = (await readdir(folder, { recursive: true })).filter((name) => /^export.*\.json$/.test(name))
    for (const name of names) {
      const text = anonymous(await readFile(join(folder, name), 'utf8'), rig, cwd)
      await writeRecording(join('opencode', name), `${JSON.stringify(short(JSON.parse(text)), null, 1)}\n`)
    }
  })
}

/** All stages of a session. */
export const recordTranscript = async (rig: Rig): Promise<void> => {
  const { command } = rig.cli
  if (command !== 'opencode' && KEPT[command] === undefined) return
  const session = new Session(rig, await rig.project({ 'a.txt': 'content of a\n' }))
  for (const stage of STAGES) if (stage.applies?.(rig) !== false) await stage.run(session)
  await rm(join(FOLDER, command), { recursive: true, force: true })
  if (command === 'opencode') return recordExports(rig, session.cwd)
  const root = join(rig.home, `.${command}`)
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name)
    const path = relative(root, file)
    if (!entry.isFile() || KEPT[command]?.test(path) !== true) continue
    const text = anonymous(await readFile(file, 'utf8'), rig, session.cwd)
    const lines = path.endsWith('.jsonl') ? text.split('\n').map(shortLine).join('\n') : text
    await writeRecording(join(command, anonymous(path, rig, session.cwd)), lines)
  }
}
