/**
 * Runs unsafe code under Miri, which finds what is undefined in Rust and not only what goes wrong:
 * `npm run test:miri`. More arguments choose tests by their names. It needs rustup, and a nightly
 * toolchain with Miri; `NIGHTLY` names another one than the newest.
 *
 * - The transcoder, portable and with AVX2, and again with NEON: Miri interprets both processors on
 *   any machine.
 * - The table of handles.
 * - `src/binding/node_api/`, with a stand-in for the engine: Miri cannot run Node. Whether the real
 *   one keeps to the same rules is what `npm run test:asan` looks at.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const toolchain = process.env.NIGHTLY ?? 'nightly'
const cargo = (args, options) => spawnSync('cargo', [`+${toolchain}`, 'miri', ...args], { cwd: root, ...options })

if (cargo(['--version']).status !== 0) {
  console.error(`There is no Miri. To install it: rustup toolchain install ${toolchain} --profile minimal --component miri,rust-src`)
  process.exit(1)
}

const RUNS = [
  // Under Miri, a processor has what the compiler is told.
  { target: 'x86_64-unknown-linux-gnu', rustflags: '-Ctarget-feature=+avx2,+bmi1,+bmi2,+popcnt', tests: ['text::transcode', 'binding'] },
  { target: 'aarch64-unknown-linux-gnu', rustflags: '', tests: ['text::transcode'] },
]

const asked = process.argv.slice(2)
const failed = RUNS.filter(({ target, rustflags, tests }) => {
  console.log(`── ${target} ${rustflags}`)
  const { status } = cargo(['test', '--quiet', '--lib', '--locked', '--target', target, '--target-dir', join('target', 'miri'), '--', ...(asked.length > 0 ? asked : tests)], {
    stdio: 'inherit',
    env: { ...process.env, RUSTFLAGS: rustflags, MIRIFLAGS: '-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check' },
  })
  return status !== 0
})
for (const { target } of failed) console.error(`FAILED: ${target}`)
process.exit(failed.length === 0 ? 0 : 1)
