/** Loads the addon that `scripts/asan.mjs` built instead of the usual one, in every process and thread. */
const { syncBuiltinESMExports } = require('node:module')
const { join } = require('node:path')
const threads = require('node:worker_threads')

const { dlopen } = process
// Not from an environment variable: a test may start a thread with a different environment.
const sanitized = join(__dirname, '..', 'target', 'asan', 'promptmason.node')

process.dlopen = (module, file, ...rest) => {
  const isOurs = /promptmason\.[\w-]+\.node$/.test(file)
  return Reflect.apply(dlopen, process, [module, isOurs ? sanitized : file, ...rest])
}

// A thread that is started with its own environment reads `NODE_OPTIONS`, and thus this file, from it.
threads.Worker = class extends threads.Worker {
  constructor(file, options) {
    const hasOwn = typeof options?.env === 'object'
    super(file, hasOwn ? { ...options, env: { NODE_OPTIONS: `--require=${__filename}`, ...options.env } } : options)
  }
}
syncBuiltinESMExports()
