/** Programs in a separate process, so that a crash or a change to the engine stays there. */
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { root } from './documents.js'

export interface ChildOptions {
  /** Options of node. */
  args?: string[]
  env?: Record<string, string | undefined>
  /** Whether something may be written to stderr. */
  mayWarn?: boolean
}

const PRELUDE =
  "const { writeSync } = require('node:fs'); const { stringify } = JSON; const tell = (value) => { writeSync(1, stringify(value)) };"
const programOf = (program: string): string => `(async () => {${PRELUDE}${program}})()`

/** The same as `told`, for a program that needs this process, such as a server in it. */
export const toldAsync = async <T>(program: string, { args = [], env = {} }: ChildOptions = {}): Promise<T> => {
  const options = { cwd: root, env: { ...process.env, DEBUG: undefined, ...env } }
  return JSON.parse((await promisify(execFile)(process.execPath, [...args, '-e', programOf(program)], options)).stdout)
}

/** Runs a program that calls `tell(value)` once, and returns that value. The process must exit with 0. */
export const told = <T>(program: string, { args = [], env = {}, mayWarn = false }: ChildOptions = {}): T => {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...args, '-e', programOf(program)], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, DEBUG: undefined, ...env },
  })
  expect({ status, signal, stderr: mayWarn ? '' : stderr }).toEqual({ status: 0, signal: null, stderr: '' })
  return JSON.parse(stdout)
}
