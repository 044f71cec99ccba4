/**
 * Runs the built addon on every runtime that npm has a program of for this platform:
 *
 *     npm run test:runtimes                        the checks of `smoke.mjs`, on all of them
 *     npm run test:runtimes -- --only=bun,node@26  some of them
 *     npm run test:runtimes -- --suite             all tests instead, about five minutes each
 *
 * One line per runtime. Exits with 1 if something failed, or if there was no runtime.
 */
import { spawnSync } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { root } from '../support/documents.js'
import { RUNTIMES, installed, type Installed, type Runtime } from './install.js'

const args = process.argv.slice(2)
const only = args
  .find((arg) => arg.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',')
const wantsSuite = args.includes('--suite')
const isChosen = ({ name, range }: Runtime): boolean =>
  only === undefined || only.includes(name) || only.includes(`${name}@${range}`)

interface Outcome {
  ok: boolean
  line: string
  details: string
}

const run = (
  { name }: Runtime,
  { path }: Installed,
  script: string[],
): { status: number | null; stdout: string; all: string } => {
  const env = {
    ...process.env,
    DEBUG: undefined,
    NO_COLOR: '1',
    PATH: `${dirname(path)}${delimiter}${process.env['PATH']}`,
  }
  const options = { cwd: root, env, encoding: 'utf8', maxBuffer: 1024 ** 3 } as const
  const { status, signal, stdout, stderr } = spawnSync(
    path,
    [...(name === 'deno' ? ['run', '-A'] : []), ...script],
    options,
  )
  return { status, stdout, all: `${stdout}\n${stderr}${signal === null ? '' : `\nended by ${signal}`}` }
}

const smoke = (runtime: Runtime, found: Installed): Outcome => {
  const { status, stdout, all } = run(runtime, found, [join('__test__', 'runtimes', 'smoke.mjs')])
  try {
    const { checks, failed }: { checks: number; failed: string[] } = JSON.parse(stdout)
    return {
      ok: status === 0 && failed.length === 0,
      line: `${checks} checks, ${failed.length} failed`,
      details: failed.join('\n'),
    }
  } catch {
    return { ok: false, line: 'did not come to its end', details: all }
  }
}

const suite = (runtime: Runtime, found: Installed): Outcome => {
  const { status, all } = run(runtime, found, [
    join('node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--project',
    'fast',
    '--project',
    'shared',
    '--project',
    'slow',
  ])
  const counted = /^ *Tests +(.*)$/m.exec(all)?.[1]
  const failures = [...new Set(all.match(/^ FAIL .*$/gm))].join('\n')
  return {
    ok: status === 0,
    line: counted ?? 'did not come to its end',
    details: counted === undefined ? all : failures,
  }
}

let ran = 0
for (const runtime of RUNTIMES.filter(isChosen)) {
  const found = installed(runtime)
  if (found === undefined) {
    console.log(`${runtime.name} ${runtime.range}: npm has no program for this platform`)
    continue
  }
  const begun = performance.now()
  const { ok, line, details } = (wantsSuite ? suite : smoke)(runtime, found)
  ran += 1
  console.log(
    `${ok ? 'ok    ' : 'FAILED'} ${runtime.name} ${found.version}: ${line} (${((performance.now() - begun) / 1000).toFixed(1)} s)`,
  )
  if (!ok) {
    console.log(details)
    process.exitCode = 1
  }
}
if (ran === 0) {
  console.log('nothing was run')
  process.exitCode = 1
}
