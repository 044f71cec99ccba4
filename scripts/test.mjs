/**
 * `npm test`: the tests of the core and of the addon at once. Much of the time of either, something waits:
 * for a linker, a program or a timer. What cargo prints comes when it has ended, so that no lines are mixed.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** @param {import('node:child_process').ChildProcess} child */
const ended = (child) =>
  new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(String(error))
      resolve(false)
    })
    child.on('close', (code) => resolve(code === 0))
  })

const core = spawn('cargo', ['test', '--quiet'], { stdio: ['ignore', 'pipe', 'pipe'] })
/** @type {Buffer[]} */
const printed = []
for (const output of [core.stdout, core.stderr]) output.on('data', (chunk) => printed.push(chunk))
const coreEnded = ended(core).finally(() => process.stdout.write(Buffer.concat(printed)))

const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs')
const projects = ['fast', 'shared', 'portable', 'slow'].flatMap((name) => ['--project', name])
const addon = spawn(process.execPath, [vitest, 'run', ...projects], { stdio: 'inherit' })

const passed = await Promise.all([coreEnded, ended(addon)])
process.exitCode = passed.every(Boolean) ? 0 : 1
