/**
 * Hostile values through every exported function: proxies, getters that throw or change what is
 * read, holes, wrong lengths, detached memory, symbols, cycles, reentrant calls.
 *
 * Expects no crash and no hang, an error of this package or the caller's exception, and unchanged state.
 * `RUNS_FACTOR=1000 npx vitest run __test__/border/hostile-values.test.ts` tries more.
 */
import { rmSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import * as promptmason from 'promptmason'
import { afterAll, describe, expect, it } from 'vitest'
import { inputOf, untyped } from '../support/assemblers.js'
import { stateOf } from '../support/conversation.js'
import { attack, attacked, type Attack } from '../support/hostile/attack.js'
import {
  BUFFER_BYTES,
  callableNames,
  directory,
  FILLED_WITH,
  managerToAttack,
  TARGETS,
  type Target,
} from '../support/hostile/targets.js'
import { VALUES, type Run } from '../support/hostile/values.js'
import { startWatchdog } from '../support/hostile/watchdog.js'
import { runs } from '../support/runs.js'

const { ContextManager, isPromptmasonError, PlainTextAssembler } = promptmason

const RUNS = runs(60).numRuns
const PATIENCE_MS = 3_600_000
const watchdog = startWatchdog()

afterAll(() => {
  watchdog.stop()
  rmSync(directory, { recursive: true })
})

/**
 * What the engine throws for a proxy that is revoked, violates invariants, or claims to be an
 * array with an invalid length or iterator.
 */
const isOfProxy = (error: unknown): boolean =>
  error instanceof TypeError && /proxy|proxies|BigInt value to a number|items\[Symbol\.iterator\]/i.test(error.message)

/** The errors of the system for a missing program or directory. */
const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error

const expectAllowed = (error: unknown, run: Run): void => {
  if (run.thrown.has(error) || isOfProxy(error) || isOfSystem(error)) return
  expect(isPromptmasonError(error), `thrown: ${error instanceof Error ? error.stack : String(error)}`).toBe(true)
  expect(isPromptmasonError(error, 'ERR_INTERNAL'), `thrown: ${String(error)}`).toBe(false)
}

/** A copy by snapshot makes the same prompt, unless what the caller has left in it throws. */
const expectWholeManager = (manager: promptmason.ContextManager, run: Run): void => {
  const ids = manager.getMessages().map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const copy = new ContextManager({ contextWindowSize: 2 })
  try {
    copy.importSnapshot(manager.exportSnapshot())
  } catch (error) {
    expect(
      run.thrown.has(error) || isOfProxy(error),
      `thrown: ${error instanceof Error ? error.stack : String(error)}`,
    ).toBe(true)
    return
  }
  expect(copy.assembleForAgent('max', 'gemini')).toEqual(manager.assembleForAgent('max', 'gemini'))
}

/** Objects that change on each read are copied differently each time. */
const isPlainValue = (how: string): boolean => how in VALUES && !how.includes('proxy') && !how.includes('false length')

const attempt = (target: Target, which: number, attacks: readonly Attack[]) => {
  const manager = managerToAttack()
  const before = stateOf(manager)
  let hasReentered = false
  let isOver = false
  const run: Run = {
    thrown: new Set(),
    reenter: () => {
      if (isOver) return
      hasReentered = true
      manager.addMessage({ speaker: { id: 'again' }, content: 'again' })
      manager.assembleForAgent('max', 'codex')
      new PlainTextAssembler().assemble(inputOf())
      if (manager.getMessages().length > 12) manager.clear()
    },
  }
  const given = target.args[which % target.args.length]?.() ?? []
  const memory = given
    .map((arg) => untyped<{ into?: unknown } | null | undefined>(arg)?.into)
    .filter((into): into is Buffer => Buffer.isBuffer(into) && into[0] === FILLED_WITH)
  const args = attacked(given, attacks, run)

  const failed = (error: unknown): void => {
    expectAllowed(error, run)
    if (!hasReentered) expect(stateOf(manager)).toEqual(before)
    for (const buffer of memory) expect(Buffer.alloc(BUFFER_BYTES, FILLED_WITH).equals(buffer)).toBe(true)
  }
  const after = (): void => {
    // The stored values may still be hostile. From here on, the manager must not change.
    isOver = true
    if (attacks.every(({ how }) => isPlainValue(how))) expectWholeManager(manager, run)
    expect(new PlainTextAssembler().assemble(inputOf()).prompt).toBe('hello')
  }
  return { args, manager, failed, after }
}

/** Runs a call, sync or async, and checks what came of it. */
const survive = async (target: Target, which: number, attacks: readonly Attack[]): Promise<void> => {
  const { args, manager, failed, after } = attempt(target, which, attacks)
  try {
    const returned = target.call(args, manager)
    if (returned instanceof Promise) await returned
  } catch (error) {
    failed(error)
  }
  after()
}

describe('the list of attacked functions', () => {
  it('includes every export', () => {
    expect(Object.keys(TARGETS).toSorted()).toEqual(callableNames({ ...promptmason, default: {} }).toSorted())
  })

  it.each(Object.entries(TARGETS))('%s accepts valid arguments', async (_, target) => {
    await Promise.all(target.args.map((args) => target.call(args(), managerToAttack())))
  })
})

describe('hostile values', { timeout: PATIENCE_MS }, () => {
  it.each(Object.entries(TARGETS))('%s', async (name, target) => {
    const attacks = fc.array(attack, { minLength: 1, maxLength: 3 })
    const numRuns = Math.ceil(target.isSlow ? RUNS / 10 : RUNS)
    // Different attacks for each.
    const seed = (fc.readConfigureGlobal().seed ?? 0) + Object.keys(TARGETS).indexOf(name)
    let tried = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(7), attacks, async (which, wanted) => {
        watchdog.begin(`${name} ${JSON.stringify({ which, wanted })}`)
        await survive(target, which, wanted)
        // Managers are freed when the event loop turns.
        if (tried++ % 1000 === 0) await setImmediate()
      }),
      { numRuns, seed },
    )
  })
})
