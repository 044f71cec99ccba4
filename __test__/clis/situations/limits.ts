/** Too much data for a disk, and for one line. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Fact } from '../facts.js'
import type { Rig } from '../rig.js'
import { outcome, turn } from './turns.js'

const run = promisify(execFile)

const PROGRAM = join(import.meta.dirname, '..', 'deliver-once.ts')

/** Delivers a plan in another process, whose directory for temporary files has little room. */
const deliverInLittleRoom = async (rig: Rig, kibibytes: number): Promise<string> => {
  const cwd = await rig.project()
  const { stdin, env, ...plan } = rig.plan('hello', { cwd })
  const removed = Object.keys(env).filter((name) => env[name] === undefined)
  const [file, room] = [join(cwd, '..', 'plan.json'), join(cwd, '..', 'little-room')]
  await mkdir(room, { recursive: true })
  await writeFile(file, JSON.stringify({ ...plan, env, removed, stdin: stdin.toString('base64') }))
  const mount = `mount -t tmpfs -o size=${kibibytes}k tmpfs "$TMPDIR" && exec "$@"`
  const namespace = ['--user', '--map-root-user', '--mount', 'sh', '-c', mount, 'sh']
  const program = [process.execPath, ...process.execArgv, PROGRAM, file]
  const { stdout } = await run('unshare', [...namespace, ...program], {
    env: { ...process.env, TMPDIR: room },
    cwd: join(import.meta.dirname, '..', '..', '..'),
  })
  return stdout.trim()
}

/** Lines of which no two are the same: some CLIs stop an answer that repeats itself. */
const longText = (lines: number): string =>
  Array.from({ length: lines }, (_, line) => `Line ${line} of a long answer: ${(line * 7919) % 10_007}.`).join('\n')

/** CLIs whose answer is one line of their output, however long it is. */
const WRITES_ONE_LINE = new Set(['claude', 'codex', 'opencode'])

const TOO_LONG = /a line of \d+ bytes could not be read/

export const LIMITS: readonly Fact[] = [
  {
    name: 'no room for what it writes',
    recorded: ({ isAcp }) => (isAcp ? undefined : 'ERR_NO_ANSWER, says so'),
    measure: async (rig) => {
      rig.standIn.answers = [longText(15_000)]
      const said = await deliverInLittleRoom(rig, 64)
      rig.standIn.answers = ['ANSWER']
      const isTold = said.includes('has no room for its output')
      return isTold ? `${said.split(':', 1).at(0)}, says so` : said
    },
  },
  {
    name: 'an answer of 70 MB on one line',
    recorded: ({ command }) => (WRITES_ONE_LINE.has(command) ? 'interrupted, says so' : undefined),
    measure: async (rig) => {
      const text = longText(1_900_000)
      const sent = await turn(rig, [{ text }], { timeoutMs: 120_000 })
      const isTold = TOO_LONG.test(sent.result?.error?.message ?? '')
      if (isTold) return `${sent.result?.error?.code}, says so`
      return sent.result?.text === text ? 'whole' : outcome(sent).slice(0, 200)
    },
  },
]
