/**
 * Lets vitest test `lib/` as it is: it is compiled before the first test, and again when a file
 * changes in watch mode. Then the tests run again that have loaded that file, those of its subject first.
 *
 * Tests load what users load, `dist/`, with Node's own `require`: as CommonJS, subject by subject on
 * first use, also in workers and child processes. Vite sees none of it, so it cannot tell by itself.
 */
import { relative } from 'node:path'
import type { Plugin } from 'vitest/config'
import type { Vitest } from 'vitest/node'
import { buildLib, lib } from './compile.mjs'
import { isOfSubject, testsThatLoad } from './loaded.mjs'

/** Editors write several files at once. */
const SETTLE_MS = 20

/** Compiles and runs tests in turns. */
class Loop {
  readonly #vitest: Vitest
  readonly #changed = new Set<string>()
  /** Test files that have to run. */
  readonly #wanted = new Set<string>()
  #isRunning = false
  #timer: NodeJS.Timeout | undefined

  constructor(vitest: Vitest) {
    this.#vitest = vitest
  }

  change(file: string): void {
    this.#changed.add(file)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#start(), SETTLE_MS)
  }

  async #start(): Promise<void> {
    if (this.#isRunning) return this.#vitest.cancelCurrentRun('keyboard-input')
    this.#isRunning = true
    await this.#turn()
    this.#isRunning = false
  }

  /** Until nothing has changed meanwhile. */
  async #turn(): Promise<void> {
    const files = [...this.#changed]
    if (files.length === 0) return
    this.#changed.clear()
    await buildLib()
    for (const file of files) for (const test of testsThatLoad(file)) this.#wanted.add(test)
    await this.#run((test) => files.some((file) => isOfSubject(test, file)))
    await this.#run(() => true)
    return this.#turn()
  }

  /** Runs those of the wanted tests that the user asked for. */
  async #run(isFirst: (test: string) => boolean): Promise<void> {
    const { config, state } = this.#vitest
    const tests = [...this.#wanted].filter(isFirst)
    if (tests.length === 0 || this.#changed.size > 0) return
    const asked = new Set(state.getFilepaths())
    const found = await this.#vitest.globTestSpecifications(tests)
    const specifications = found.filter(({ moduleId }) => config.standalone || asked.has(moduleId))
    if (specifications.length > 0) await this.#vitest.rerunTestSpecifications(specifications)
    // What was cancelled runs later.
    if (this.#changed.size === 0) for (const test of tests) this.#wanted.delete(test)
  }
}

export const watchedLib = async (): Promise<Plugin> => {
  await buildLib()
  let loop: Loop | undefined
  return {
    name: 'promptmason:lib',
    configureVitest({ vitest }) {
      // Called once for each project.
      if (loop !== undefined || !vitest.config.watch) return
      loop = new Loop(vitest)
      vitest.vite.watcher.add(lib).on('all', (event, file) => {
        if (!event.endsWith('Dir') && !relative(lib, file).startsWith('..')) loop?.change(relative(lib, file))
      })
    },
  }
}
