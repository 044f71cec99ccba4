/** Turns that are ended while a tool runs: nothing may be left. */
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fact } from '../facts.js'
import { eventually, processesIn, processesWith } from '../processes.js'
import { FINAL, fact, failure, kill, outcome, script, sleeper, tool, turn, whileToolSleeps } from './turns.js'

/** These acknowledge the prompt before they answer. */
const taken = 'yes; the session has the prompt'
/** It stores its session at some point during the turn. */
const perhaps = 'unknown; the session may have the prompt'
const KNOWN = { copilot: perhaps, grok: taken, kimi: taken }

export const ENDED: readonly Fact[] = [
  fact('aborted while its tool runs', 'aborted, session known, nothing left', (rig) =>
    whileToolSleeps(rig, async (command, isAsleep) => {
      const controller = new AbortController()
      const { signal } = controller
      let isKnown = false
      const onText = (): void => {
        isKnown = true
      }
      const sent = turn(rig, [tool(rig, command), FINAL], { delivery: { signal, onText } })
      if (!(await isAsleep())) return `it does not run its tool: ${outcome(await sent)}`
      // Some start the tool before they write anything.
      await eventually(() => isKnown, 3000)
      controller.abort()
      const { error } = await sent
      return `aborted, session ${error?.sessionId === undefined ? 'not known' : 'known'}`
    }),
  ),
  fact(
    'timed out while its tool runs',
    'timed out, delivered unknown, nothing left',
    (rig) =>
      whileToolSleeps(rig, async (command) => {
        const { error, result } = await turn(rig, [tool(rig, command), FINAL], { timeoutMs: 15_000 })
        return error?.timedOut === true
          ? `timed out, delivered ${error.delivered}`
          : JSON.stringify(result ?? String(error))
      }),
    { grok: 'timed out, delivered yes, nothing left', kimi: 'timed out, delivered yes, nothing left' },
  ),
  fact('the coordinator exits while its tool runs', 'exited, nothing left', (rig) =>
    whileToolSleeps(rig, async (command, isAsleep) => {
      script(rig, tool(rig, command), FINAL)
      const cwd = await rig.project()
      const { stdin, env, ...plan } = rig.plan('Please do it.', { cwd, allows: true })
      const removed = Object.keys(env).filter((name) => env[name] === undefined)
      const file = join(cwd, '..', 'plan.json')
      await writeFile(file, JSON.stringify({ ...plan, env, removed, stdin: stdin.toString('base64') }))
      const program = join(import.meta.dirname, '..', 'coordinator.ts')
      const child = spawn(process.execPath, [...process.execArgv, program, file], {
        stdio: ['pipe', 'inherit', 'inherit'],
      })
      const exit = new Promise((resolve) => {
        child.on('exit', resolve)
      })
      const didRun = await isAsleep()
      child.stdin.end()
      await exit
      rig.standIn.respond = undefined
      return didRun ? 'exited' : 'it does not run its tool'
    }),
  ),
  fact(
    'killed while its tool runs, and resumed',
    'unknown; the session has the prompt',
    async (rig) => {
      const cwd = await rig.project()
      const { command, name, isAsleep } = sleeper()
      script(rig, tool(rig, command), FINAL)
      const sent = rig.send('CRASHED-PROMPT', { cwd, allows: true })
      await isAsleep()
      for (const id of processesIn(cwd)) kill(id)
      for (const id of processesWith(name)) kill(id)
      const { error, result } = await sent
      rig.standIn.respond = undefined
      const { delivered = 'not told', sessionId } = error ?? result ?? {}
      if (sessionId === undefined) return `${delivered}; no session is known`
      const resumed = await rig.send('SECOND-PROMPT', { cwd, resume: sessionId })
      if (rig.cli.command === 'copilot' && [undefined, 'session-not-found'].includes(resumed.result?.error?.code))
        return `${delivered}; the session may have the prompt`
      if (resumed.result?.text === undefined) return `${delivered}; ${failure(resumed)}`
      return `${delivered}; the session has ${resumed.user.some((text) => text.includes('CRASHED-PROMPT')) ? 'the prompt' : 'no prompt'}`
    },
    KNOWN,
  ),
]
