/**
 * Runs the transcoder (`src/text/transcode/`) under Miri, which reports undefined behaviour even if it
 * has no visible effect: `npm run test:miri`. Arguments select other tests by name. It needs rustup and
 * a nightly toolchain with Miri; `NIGHTLY` selects a toolchain other than `nightly`.
 *
 * The tests run twice: on x86-64, portable and with AVX2, and on aarch64, portable and with NEON.
 * Miri interprets both processors on any machine.
 *
 * Miri cannot run Node. The unsafe code of `src/binding/` (`strings.rs` and `memory.rs`) calls Node-API,
 * and that of `src/system/` the system, so AddressSanitizer checks it: `npm run test:asan`.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const toolchain = process.env.NIGHTLY ?? 'nightly'
const cargo = (args, options) => spawnSync('cargo', [`+${toolchain}`, 'miri', ...args], { cwd: root, ...options })

if (cargo(['--version']).status !== 0) {
  console.error(
    `There is no Miri. To install it: rustup toolchain install ${toolchain} --profile minimal --component miri,rust-src`,
  )
  process.exit(1)
}

const RUNS = [
  // Under Miri, the processor has the features that the compiler is given.
  { target: 'x86_64-unknown-linux-gnu', rustflags: '-Ctarget-feature=+avx2,+bmi1,+bmi2,+popcnt' },
  { target: 'aarch64-unknown-linux-gnu', rustflags: '' },
]

const asked = process.argv.slice(2)
const tests = asked.length > 0 ? asked : ['text::transcode']
const failed = RUNS.filter(({ target, rustflags }) => {
  console.log(`── ${target} ${rustflags}`)
  const options = ['--quiet', '--lib', '--locked', '--target', target, '--target-dir', join('target', 'miri')]
  const { status } = cargo(['test', ...options, '--', ...tests], {
    stdio: 'inherit',
    env: {
      ...process.env,
      RUSTFLAGS: rustflags,
      MIRIFLAGS: '-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check',
    },
  })
  return status !== 0
})
for (const { target } of failed) console.error(`FAILED: ${target}`)
process.exit(failed.length === 0 ? 0 : 1)
