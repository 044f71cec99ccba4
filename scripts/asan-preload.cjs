/** Loads the addon that `scripts/asan.mjs` has built instead of the usual one, in every process and thread. */
const { syncBuiltinESMExports } = require('node:module')
const { join } = require('node:path')
const threads = require('node:worker_threads')

const { dlopen } = process
// Not from the environment: a test may start a thread with one of its own.
const sanitized = join(__dirname, '..', 'target', 'asan', 'promptmason.node')

process.dlopen = (module, file, ...rest) => {
  const isOurs = /promptmason\.[\w-]+\.node$/.test(file)
  return Reflect.apply(dlopen, process, [module, isOurs ? sanitized : file, ...rest])
}

// A thread with an environment of its own takes `NODE_OPTIONS`, and so this file, from there.
threads.Worker = class extends threads.Worker {
  constructor(file, options) {
    const hasOwn = typeof options?.env === 'object'
    super(file, hasOwn ? { ...options, env: { NODE_OPTIONS: `--require=${__filename}`, ...options.env } } : options)
  }
}
syncBuiltinESMExports()
