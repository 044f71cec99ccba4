/**
 * Builds and runs the fuzz targets: `npm run fuzz -- --seconds=60 [target…]`.
 *
 * With a nightly toolchain, AddressSanitizer is on. The stable toolchain works too, without it. If
 * cargo-fuzz is installed, `cargo fuzz run <target>` works as well. New inputs are written to
 * `target/corpus`, and inputs that fail to `artifacts`.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = import.meta.dirname
const all = [...readFileSync(join(folder, 'Cargo.toml'), 'utf8').matchAll(/^name = "(\w+)"\npath/gm)].map(
  ([, name]) => name,
)

const args = process.argv.slice(2)
const seconds = Number(args.find((arg) => arg.startsWith('--seconds='))?.split('=')[1] ?? 60)
const wanted = args.filter((arg) => !arg.startsWith('-'))
const unknown = wanted.filter((name) => !all.includes(name))
if (!(seconds > 0) || unknown.length > 0) {
  console.error(`usage: npm run fuzz -- [--seconds=N] [target…], of ${all.join(', ')}`)
  process.exit(2)
}
const targets = wanted.length > 0 ? wanted : all

const run = (command, commandArgs, options = {}) =>
  spawnSync(command, commandArgs, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28, ...options })
const hasNightly = run('cargo', ['+nightly', '--version']).status === 0
const host = /^host: (.*)$/m.exec(run('rustc', ['-vV']).stdout)[1]

// The same flags as cargo-fuzz.
const COVERAGE = [
  '--cfg fuzzing',
  '-Ccodegen-units=1',
  '-Cpasses=sancov-module',
  '-Cllvm-args=-sanitizer-coverage-level=4',
  '-Cllvm-args=-sanitizer-coverage-inline-8bit-counters',
  '-Cllvm-args=-sanitizer-coverage-pc-table',
  '-Cllvm-args=-sanitizer-coverage-trace-compares',
  '-Cllvm-args=-simplifycfg-branch-fold-threshold=0',
]
const flags = hasNightly ? [...COVERAGE, '-Zsanitizer=address'] : COVERAGE
const built = run(
  'cargo',
  [
    ...(hasNightly ? ['+nightly'] : []),
    'build',
    '--release',
    '--locked',
    '--target',
    host,
    ...targets.flatMap((name) => ['--bin', name]),
  ],
  {
    env: { ...process.env, RUSTFLAGS: flags.join(' '), ASAN_OPTIONS: 'detect_odr_violation=0' },
    stdio: 'inherit',
  },
)
if (built.status !== 0) process.exit(1)
console.log(hasNightly ? 'nightly, with AddressSanitizer' : 'stable, without a sanitizer')

const failed = []
mkdirSync(join(folder, 'artifacts'), { recursive: true })
for (const name of targets) {
  const found = join(folder, 'target', 'corpus', name)
  mkdirSync(found, { recursive: true })
  const { status, stderr } = run(join(folder, 'target', host, 'release', name), [
    `-max_total_time=${seconds}`,
    '-max_len=4096',
    '-len_control=0',
    '-timeout=30',
    '-rss_limit_mb=4096',
    '-print_final_stats=1',
    `-artifact_prefix=${join(folder, 'artifacts', `${name}-`)}`,
    found,
    join(folder, 'corpus', name),
  ])
  const inputs = /^stat::number_of_executed_units: (\d+)/m.exec(stderr)?.[1] ?? '?'
  const edges = [...stderr.matchAll(/ cov: (\d+)/g)].at(-1)?.[1] ?? '?'
  console.log(`${name}: ${inputs} inputs, ${edges} edges${status === 0 ? '' : ', FAILED'}`)
  if (status !== 0) {
    failed.push(name)
    console.error(stderr.split('\n').slice(-60).join('\n'))
  }
}
process.exit(failed.length === 0 ? 0 : 1)
