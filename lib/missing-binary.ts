/** What to say when no binary can be loaded. */

const ARCHITECTURES: Record<string, string> = { x86_64: 'x64', aarch64: 'arm64' }
const SYSTEMS: Record<string, string> = { linux: 'linux', darwin: 'darwin', windows: 'win32' }

/** @param target `x86_64-unknown-linux-gnu` → `linux-x64-gnu`, as the folders in `npm/` are named. */
const platformOf = (target: string) => {
  const [cpu, , system, abi] = target.split('-')
  return [SYSTEMS[system ?? ''], ARCHITECTURES[cpu ?? ''], abi].filter(Boolean).join('-')
}

/** musl has no version of glibc to report. Deno may not be allowed to say. */
const isMusl = () => {
  try {
    const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined
    return report?.header !== undefined && report.header.glibcVersionRuntime === undefined
  } catch {
    return false
  }
}

const abiHere = () => {
  if (process.platform === 'win32') return '-msvc'
  if (process.platform !== 'linux') return ''
  return isMusl() ? '-musl' : '-gnu'
}

/** @param cause The loader's error, which lists what it tried. */
export const explainMissingBinary = (cause: unknown): Error => {
  // Not before it is needed: some loaders of TypeScript cannot load JSON while they load this file.
  const { napi, version } = require('../package.json') as { napi: { targets: string[] }; version: string }
  const platforms = napi.targets.map(platformOf)
  const permissions =
    process.versions['deno'] === undefined ? '' : ' Deno needs --allow-ffi, --allow-read and --allow-env for it.'
  const here = `${process.platform}-${process.arch}${abiHere()}`
  const message = platforms.includes(here)
    ? `promptmason cannot load its binary for ${here}. It is in the package promptmason-${here}@${version}, an optional ` +
      'dependency that was not installed or does not fit. Install again on the machine it is to run on, without ' +
      '--omit=optional; if that changes nothing, remove node_modules and package-lock.json first.'
    : `promptmason has no binary for ${here}. There are binaries for ${platforms.join(', ')}. On any other platform, build ` +
      'it from its source with Rust: npm ci in a clone.'
  return new Error(message + permissions, { cause })
}
