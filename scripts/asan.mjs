/**
 * Runs all tests of the addon with AddressSanitizer in native code: `npm run test:asan`. Arguments
 * go to vitest instead of the names of all projects. It needs Linux and a nightly toolchain;
 * `NIGHTLY` selects a toolchain other than the newest.
 *
 * Node itself is not built with the sanitizer, so its runtime is preloaded into every process
 * (`LD_PRELOAD`). rustc ships the runtime only as an archive for executables, so this script turns it
 * into a shared library.
 * Every process and thread that a test starts loads the sanitized addon (`asan-preload.cjs`).
 * Tests that are of little use under the sanitizer are skipped (`isSanitized` in `__test__/support/`).
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'target', 'asan')
const objects = join(folder, 'runtime')
const toolchain = `+${process.env.NIGHTLY ?? 'nightly'}`
const output = (command, args) => execFileSync(command, args, { cwd: root, encoding: 'utf8' }).trim()
const run = (command, args, options = {}) => execFileSync(command, args, { cwd: root, stdio: 'inherit', ...options })

const host = /^host: (.*)$/m.exec(output('rustc', [toolchain, '-vV']))[1]
const archive = join(
  output('rustc', [toolchain, '--print', 'sysroot']),
  'lib',
  'rustlib',
  host,
  'lib',
  'librustc-nightly_rt.asan.a',
)
const reports = () =>
  readdirSync(folder)
    .filter((name) => name.startsWith('report.'))
    .map((name) => join(folder, name))

rmSync(objects, { recursive: true, force: true })
mkdirSync(objects, { recursive: true })
for (const report of reports()) rmSync(report)
run('ar', ['x', archive], { cwd: objects })
const runtime = join(folder, 'libasan-runtime.so')
// `asan_preinit` can only be linked into an executable.
run('sh', ['-c', `rm -f asan_preinit*; c++ -shared -o "${runtime}" *.o -lpthread -ldl -lm -lrt`], { cwd: objects })

run('cargo', [toolchain, 'build', '--quiet', '--release', '--lib', '--target', host, '--target-dir', folder], {
  env: {
    ...process.env,
    RUSTFLAGS: '-Zsanitizer=address -Cforce-frame-pointers=yes',
    CARGO_PROFILE_RELEASE_LTO: 'false',
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '16',
    CARGO_PROFILE_RELEASE_STRIP: 'none',
    CARGO_PROFILE_RELEASE_DEBUG: 'line-tables-only',
  },
})
const addon = join(folder, 'promptmason.node')
copyFileSync(join(folder, host, 'release', 'libpromptmason.so'), addon)

const PROJECTS = ['fast', 'shared', 'portable', 'slow'].flatMap((name) => ['--project', name])
const asked = process.argv.slice(2)
const { status } = spawnSync('npx', ['vitest', 'run', ...(asked.length > 0 ? asked : PROJECTS)], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    PROMPTMASON_ASAN_ADDON: addon,
    LD_PRELOAD: runtime,
    NODE_OPTIONS: `--require=${join(import.meta.dirname, 'asan-preload.cjs')}`,
    // Node and V8 keep memory until they exit. Tests cover allocations that fail.
    ASAN_OPTIONS: `detect_leaks=0:allocator_may_return_null=1:log_path=${join(folder, 'report')}`,
  },
})

// Checked here as well, because a test may expect a process to crash. A failed allocation is only a
// warning.
const errors = reports()
  .map((report) => readFileSync(report, 'utf8'))
  .filter((text) => text.includes('ERROR: AddressSanitizer'))
for (const text of errors) console.error(text)
console.log(`${errors.length} AddressSanitizer errors`)
process.exit(errors.length > 0 ? 1 : (status ?? 1))
