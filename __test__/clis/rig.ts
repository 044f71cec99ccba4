/** One CLI with its own home directory, a project, and a stand-in for its provider. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import {
  type DeliverOptions,
  type DeliveryOptions,
  type DeliveryPlan,
  type DeliveryResult,
  deliver,
  planDelivery,
} from 'promptmason'
import type { Cli } from './catalog.js'
import { type SeenRequest, type StandIn, startStandIn } from './stand-in.js'

export interface Sent {
  /** What `deliver` has returned or thrown. */
  result?: DeliveryResult
  error?: any
  requests: SeenRequest[]
  /** All texts of the user's messages and of system messages, of all requests. */
  user: string[]
  system: string[]
}

export interface SendOptions extends Partial<DeliveryOptions> {
  system?: string
  /** Sent instead of the prompt, past all checks. */
  stdin?: Buffer
  timeoutMs?: number
  /** More variables of its environment. */
  environment?: Record<string, string>
  /** The program, if it is not the CLI's own. */
  program?: string
  /** Where the program runs, if that is not the `cwd` of the plan. */
  runIn?: string
  /** Whether its tools may run. */
  allows?: boolean
  /** More options of `deliver`. */
  delivery?: DeliverOptions
  /** Variables of this process that the program inherits. */
  inherits?: Record<string, string>
  /** What runs the program: a command that takes it and its arguments as arguments. */
  wrapper?: readonly string[]
}

export interface Rig {
  cli: Cli
  version: string
  /** The folder with its program. */
  programs: string
  home: string
  standIn: StandIn
  /** A new project directory with files in it. */
  project(files?: Record<string, string>): Promise<string>
  /** The version that the program prints. */
  ownVersion(): Promise<string>
  writeHome(path: string, content: string): Promise<void>
  plan(prompt: string, options?: SendOptions): DeliveryPlan
  send(prompt: string, options?: SendOptions): Promise<Sent>
  close(): Promise<void>
}

/** What CLIs may see of our environment: no keys, no settings. */
const INHERITED = new Set(['PATH', 'LANG', 'LC_ALL', 'TERM', 'TZ'])

const run = promisify(execFile)

const TIMEOUT_MS = 120_000

const write = async (file: string, content: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
}

export const openRig = async (cli: Cli, version: string, programs: string, retries = false): Promise<Rig> => {
  const standIn = await startStandIn()
  const base = await mkdtemp(join(tmpdir(), `clis-${cli.command}-`))
  const [home, temporary] = [join(base, 'home'), join(base, 'tmp')]
  await Promise.all([mkdir(home), mkdir(temporary)])
  const own = await cli.prepare(home, standIn.url, retries)
  const removed = Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => !INHERITED.has(name))
      .map((name) => [name, undefined]),
  )
  // A Node of its own comes first.
  const searchPath = cli.packages === undefined ? process.env['PATH'] : [programs, process.env['PATH']].join(delimiter)
  let projects = 0

  const rig: Rig = {
    cli,
    version,
    programs,
    home,
    standIn,
    project: async (files = {}) => {
      const folder = join(base, `project-${projects++}`)
      await mkdir(folder)
      await Promise.all(Object.entries(files).map(([path, content]) => write(join(folder, path), content)))
      return folder
    },
    ownVersion: async () => {
      const { command, env } = rig.plan('x')
      const { stdout } = await run(command, ['--version'], { env: { ...process.env, ...env } })
      return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout
    },
    writeHome: (path, content) => write(join(home, path), content),
    plan: (prompt, { system, stdin, timeoutMs: _timeout, delivery: _delivery, ...more } = {}) => {
      const { runIn, environment, allows = false, inherits = {}, wrapper = [], program, ...options } = more
      const extraArgs = [...(allows && options.profile === undefined ? cli.allow : []), ...(options.extraArgs ?? [])]
      const plan = planDelivery(
        { prompt, systemFlag: system },
        { agentType: cli.agentType, trustWorkspace: true, ...options, extraArgs },
      )
      const [command = '', ...args] = [...wrapper, program ?? join(programs, cli.command), ...plan.args]
      const hidden = Object.fromEntries(Object.entries(removed).filter(([name]) => !(name in inherits)))
      return {
        ...plan,
        args,
        // The wrapper stands before them.
        ...(plan.additions === undefined
          ? {}
          : { additions: { ...plan.additions, at: plan.additions.at + wrapper.length } }),
        ...(plan.acp === undefined
          ? {}
          : { acp: { ...plan.acp, permissions: options.permissions ?? (allows ? 'all' : 'default') } }),
        ...(runIn === undefined ? {} : { cwd: runIn }),
        stdin: stdin ?? plan.stdin,
        command,
        env: { ...hidden, PATH: searchPath, HOME: home, TMPDIR: temporary, ...own, ...plan.env, ...environment },
      }
    },
    send: async (prompt, options = {}) => {
      standIn.take()
      const sent: Pick<Sent, 'result' | 'error'> = {}
      const before = Object.keys(options.inherits ?? {}).map((name) => [name, process.env[name]] as const)
      Object.assign(process.env, options.inherits)
      try {
        const cwd = options.cwd ?? (await rig.project())
        sent.result = await deliver(rig.plan(prompt, { ...options, cwd }), {
          timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
          ...options.delivery,
        })
      } catch (error) {
        sent.error = error
      } finally {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      }
      const requests = standIn.take()
      return {
        ...sent,
        requests,
        user: requests.flatMap(({ body }) => cli.user(body)),
        system: requests.flatMap(({ body }) => cli.system(body)),
      }
    },
    close: async () => {
      await standIn.close()
      await rm(base, { recursive: true, force: true })
    },
  }
  return rig
}
