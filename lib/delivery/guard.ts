/**
 * A process that ends what deliveries leave behind if this one is killed or crashes. Native code starts it
 * with the first delivery, and tells it what is unfinished (`src/system/guard.rs`).
 */
import path = require('node:path')
import native = require('../../binding.js')

/** What runs a script. An application that has Node inside would start itself once more. */
const RUNTIME = /^(?:node(?:js)?|bun|deno)(?:[-.\d]*)(?:\.exe)?$/i

/** What a runtime needs to load itself and native code. It gets no other variable: others change what it does. */
const NEEDED = /^(?:PATH|SYSTEMROOT|(?:LD|DYLD)_\w+|[AL]SAN_OPTIONS)$/i

let isPrepared = false

export const prepareGuard = (): void => {
  if (isPrepared) return
  isPrepared = true
  const library = native.libraryPath()
  if (typeof library !== 'string') return
  const { execPath, env, pid, versions } = process
  const script = `process.title = 'promptmason-guard'
    const own = { exports: {} }
    process.dlopen(own, ${JSON.stringify(path.resolve(library))})
    own.exports.guardProcess(${pid})`
  const args = versions['deno'] === undefined ? ['-e', script] : ['eval', script]
  // Agents are Node programs, mostly: there is one.
  const runtime = RUNTIME.test(path.basename(execPath)) ? execPath : 'node'
  const needed = Object.entries(env).filter(([name, value]) => NEEDED.test(name) && value !== undefined)
  native.setGuard(
    runtime,
    args,
    Object.fromEntries(needed) as Record<string, string>,
    path.parse(process.execPath).root,
  )
}
