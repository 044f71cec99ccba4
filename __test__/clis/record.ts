/** Records what a CLI writes, for the tests of `parseOutput`, shortened and without details of this machine. */
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeliveryPlan } from 'promptmason'
import type { Rig, SendOptions } from './rig.js'
import type { Reply } from './stand-in.js'

const FOLDER = join(import.meta.dirname, '..', 'recordings')

export interface Recording {
  cli: string
  exitCode: number | null
  /** Lines. */
  stdout: string[]
  stderr: string[]
}

const MAX_ELEMENTS = 2
const MAX_UNITS = 500
const MAX_STDERR_LINES = 6
const TIMEOUT_MS = 60_000

/** Long lists of tools and skills, and the CLI's own prompts, are irrelevant to answers. */
const shortened = (value: unknown): unknown => {
  if (typeof value === 'string' && value.length > MAX_UNITS) return `${value.slice(0, MAX_UNITS)}…`
  if (Array.isArray(value)) return value.slice(0, MAX_ELEMENTS).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]))
}

const shortLine = (line: string): string => {
  try {
    const value: unknown = JSON.parse(line)
    // All events in an array are the whole of it.
    return JSON.stringify(Array.isArray(value) ? value.map(shortened) : shortened(value))
  } catch {
    return line
  }
}

const run = (plan: DeliveryPlan): Promise<{ exitCode: number | null; stdout: string; stderr: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(plan.command, plan.args, {
      cwd: plan.cwd,
      env: { ...process.env, ...plan.env },
      timeout: TIMEOUT_MS,
    })
    const [stdout, stderr]: Buffer[][] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => stdout?.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr?.push(chunk))
    child.stdin.on('error', () => {})
    child.stdin.end(plan.stdin)
    child.on('error', reject)
    child.on('close', (exitCode) =>
      resolve({
        exitCode,
        stdout: Buffer.concat(stdout ?? []).toString(),
        stderr: Buffer.concat(stderr ?? []).toString(),
      }),
    )
  })

const recorded = async (
  rig: Rig,
  name: string,
  reply: Reply,
  options: SendOptions & { prompt?: string; args?: string[] },
): Promise<void> => {
  const cwd = await rig.project()
  const { prompt = 'hello', args, ...rest } = options
  const plan = rig.plan(prompt, { cwd, ...rest })
  rig.standIn.reply = reply
  const { exitCode, stdout, stderr } = await run({ ...plan, args: args ?? plan.args })
  rig.standIn.reply = 'answer'
  const anonymous = (text: string): string =>
    text
      .replaceAll(cwd, '/home/user/project')
      .replaceAll(rig.home, '/home/user')
      .replaceAll(rig.standIn.url, 'http://127.0.0.1:1')
      .replaceAll(/\/[^\s"']*node_modules/g, '/home/user/node_modules')
      .replaceAll(join(rig.home, '..', 'tmp'), '/home/user/tmp')
      .replaceAll(tmpdir(), '/home/user/tmp')
      // Directories as parts of names.
      .replaceAll(/-\w+-clis-\w+-\w+-project-\d+/g, '-home-user-project')
  const recording: Recording = {
    cli: `${rig.cli.command} ${rig.version}`,
    exitCode,
    stdout: anonymous(stdout).split('\n').map(shortLine),
    stderr: anonymous(stderr).split('\n').slice(0, MAX_STDERR_LINES),
  }
  await mkdir(FOLDER, { recursive: true })
  await writeFile(join(FOLDER, `${rig.cli.command}.${name}.json`), `${JSON.stringify(recording, null, 2)}\n`)
}

/** Arguments for one object instead of events, where a CLI has them. */
const WHOLE: Record<string, string[]> = {
  claude: ['-p', '--output-format', 'json'],
  gemini: ['-o', 'json', '--skip-trust'],
  qwen: ['-o', 'json'],
}

/* oxlint-disable no-await-in-loop -- one after the other, with one stand-in */
export const record = async (rig: Rig): Promise<void> => {
  const { command } = rig.cli
  await recorded(rig, 'ok', 'answer', {})
  for (const reply of ['too-long', 'not-logged-in', 'rate-limit', 'other'] as const) {
    // These try again for minutes.
    if (reply !== 'rate-limit' || !['opencode', 'qwen', 'kilo'].includes(command)) await recorded(rig, reply, reply, {})
  }
  await recorded(rig, 'session-not-found', 'answer', { resume: '11111111-2222-4333-8444-555555555555' })
  await recorded(rig, 'text', 'answer', { json: false })
  if (command === 'claude') await recorded(rig, 'no-answer', 'answer', { prompt: '/clear' })
  const whole = WHOLE[command]
  if (whole !== undefined) await recorded(rig, 'ok-whole', 'answer', { args: whole })
}
