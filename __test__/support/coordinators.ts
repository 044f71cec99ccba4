/** Coordinator processes of examples/shared-conversation, which a test watches, stops and kills. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from './documents.js'

/** What a coordinator says of a conversation that it owns. */
export interface Report {
  coordinator: Coordinator
  conversation: string
  token: number
  text: string
}

export class Coordinator {
  readonly #child: ChildProcess
  readonly name: string
  readonly reports: Report[] = []
  wasKilled = false

  constructor(name: string, env: Record<string, string>, onReport: (report: Report) => void) {
    this.name = name
    const args = ['--import', 'tsx', join('examples', 'shared-conversation', 'coordinator.ts')]
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env, COORDINATOR: name },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#child = child
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, conversation = '', token = '', text = ''] = /\((.+), token (\d+)\) (.*)/.exec(line) ?? []
      const report = { coordinator: this, conversation, token: Number(token), text }
      this.reports.push(report)
      onReport(report)
    })
  }

  /** Ends it at once, or pauses it, or lets it go on. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.wasKilled ||= signal === 'SIGKILL'
    this.#child.kill(signal)
  }

  /** Lets it finish its step and end. */
  async end(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.stdin?.end()
      await once(this.#child, 'exit')
    }
    return this.#child.exitCode
  }
}

/** All coordinators of a test. */
export class Coordinators {
  readonly all: Coordinator[] = []
  readonly #env: Record<string, string>
  #waiting: { wants: (report: Report) => boolean; resolve: (report: Report) => void }[] = []

  constructor(env: Record<string, string>) {
    this.#env = env
  }

  start(env: Record<string, string> = {}): Coordinator {
    const coordinator = new Coordinator(`coordinator ${this.all.length + 1}`, { ...this.#env, ...env }, (report) => {
      const [ready, waiting] = [true, false].map((is) => this.#waiting.filter(({ wants }) => wants(report) === is))
      this.#waiting = waiting ?? []
      for (const { resolve } of ready ?? []) resolve(report)
    })
    this.all.push(coordinator)
    return coordinator
  }

  /** The next report that is wanted, of a coordinator that was not killed. */
  next(wants: (report: Report) => boolean): Promise<Report> {
    return new Promise((resolve) => {
      this.#waiting.push({ wants: (report) => !report.coordinator.wasKilled && wants(report), resolve })
    })
  }

  /** Ends all of them, also those that are paused. Returns the exit codes of those that were not killed. */
  async end(): Promise<(number | null)[]> {
    for (const coordinator of this.all) coordinator.signal('SIGCONT')
    const codes = await Promise.all(this.all.map((coordinator) => coordinator.end()))
    return codes.filter((_, index) => this.all[index]?.wasKilled === false)
  }
}
