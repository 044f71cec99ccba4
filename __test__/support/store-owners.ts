/** Processes that own conversations: `store-owner.cjs`. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { root } from './documents.js'

export class StoreOwner {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly #answers: AsyncIterator<string>

  constructor(kind: 'file' | 'redis' | 'ioredis', place: string) {
    const file = join(root, '__test__', 'support', 'store-owner.cjs')
    this.child = spawn(process.execPath, [file, kind, place], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#answers = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  send(...call: readonly unknown[]): void {
    this.child.stdin.write(`${JSON.stringify(call)}\n`)
  }

  async answer(): Promise<any> {
    const answer = JSON.parse((await this.#answers.next()).value)
    return Array.isArray(answer) ? answer[0] : answer
  }

  call(...call: readonly unknown[]): Promise<any> {
    this.send(...call)
    return this.answer()
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const ended = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill(signal)
    await ended
  }
}
