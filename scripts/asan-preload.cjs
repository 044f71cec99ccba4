/** Loads the addon that `scripts/asan.mjs` has built instead of the usual one, in every process and thread. */
const { join } = require('node:path')

const { dlopen } = process
// Not from the environment: some tests start threads with one of their own.
const sanitized = join(__dirname, '..', 'target', 'asan', 'promptmason.node')

process.dlopen = (module, file, ...rest) => {
  const isOurs = /promptmason\.[\w-]+\.node$/.test(file)
  return Reflect.apply(dlopen, process, [module, isOurs ? sanitized : file, ...rest])
}
