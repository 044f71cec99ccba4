/** Loads the addon that `scripts/asan.mjs` has built instead of the usual one. */
const { dlopen } = process

process.dlopen = (module, file, ...rest) => {
  const isOurs = /promptmason\.[\w-]+\.node$/.test(file)
  return Reflect.apply(dlopen, process, [module, isOurs ? process.env.PROMPTMASON_ASAN_ADDON : file, ...rest])
}
