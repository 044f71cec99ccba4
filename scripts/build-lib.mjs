/**
 * Compiles `lib/` to `dist/`, file by file: what runs in pages with the types of browsers, everything
 * else with Node's alone. It writes only what has changed, and also where types are wrong; then the
 * exit code is 1.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const lib = join(root, 'lib')
const dist = join(root, 'dist')
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

const filesIn = (directory) =>
  existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: 'utf8' }) : []

const compile = (project) =>
  spawnSync(process.execPath, [tsc, '-p', join(lib, project)], { stdio: 'inherit', cwd: root }).status === 0

/** A file of `dist/` whose source has been removed would still be found. */
const removeStale = () => {
  for (const file of filesIn(dist)) {
    const source = file.replace(/(\.d\.ts|\.js)$/, '.ts')
    if (/\.(js|ts|css)$/.test(file) && !existsSync(join(lib, source))) rmSync(join(dist, file))
  }
}

const areTypesRight = ['tsconfig.page.json', 'tsconfig.json'].map(compile).every(Boolean)
for (const file of filesIn(lib)) if (file.endsWith('.css')) copyFileSync(join(lib, file), join(dist, file))
removeStale()
process.exitCode = areTypesRight ? 0 : 1
