/**
 * Gives the generated index.js a better last word. When no binary can be loaded, the loader
 * that the napi CLI writes blames npm and names no platform; this replaces that message by
 * one that says which platform it is and what to do. `npm run build` runs it after writing
 * index.js, once for every file it makes (`napi build --pipe`; only the first changes
 * anything), and it fails when the loader no longer has the message.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const GENERATED = /new Error\(\s*`Cannot find native binding\. `.*?directory\.',\s*\)/s

/** Stands in index.js; uses `isMusl` of the loader. */
const explanation = (platforms, version) => `
function __missingBinary() {
  const platforms = ${JSON.stringify(platforms)}
  const abi = { linux: isMusl() ? '-musl' : '-gnu', win32: '-msvc' }[process.platform] || ''
  const platform = process.platform + '-' + process.arch + abi
  return platforms.includes(platform)
    ? 'promptmason cannot load its binary for ' + platform + '. It is in the package promptmason-' + platform +
      '@${version}, an optional dependency that was not installed or does not fit. Install again on the machine it ' +
      'is to run on, without --omit=optional; if that changes nothing, remove node_modules and package-lock.json first.'
    : 'promptmason has no binary for ' + platform + '. There are binaries for ' + platforms.join(', ') +
      '. On any other platform, build it from its source with Rust: npm ci in a clone.'
}
`

// Its own place says where index.js is: the path that the CLI appends is not quoted.
const at = (path) => new URL(`../${path}`, import.meta.url)
const loader = readFileSync(at('index.js'), 'utf8')
if (!loader.includes('function __missingBinary()')) {
  if (!GENERATED.test(loader)) throw new Error('index.js has no message about a missing binary to replace')
  const { version, napi } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  const replaced = loader.replace(GENERATED, () => 'new Error(__missingBinary())')
  writeFileSync(at('index.js'), `${replaced.trimEnd()}\n${explanation(napi.targets.map(platformOf), version)}`)
}

/** `x86_64-unknown-linux-gnu` → `linux-x64-gnu`, as the packages in this folder are named. */
function platformOf(target) {
  const [cpu, , system, abi] = target.split('-')
  const arch = { x86_64: 'x64', aarch64: 'arm64' }[cpu]
  const platform = { linux: 'linux', darwin: 'darwin', windows: 'win32' }[system]
  if (!arch || !platform) throw new Error(`${target} is not a target that npm/missing-binary.mjs knows`)
  return [platform, arch, abi].filter(Boolean).join('-')
}
