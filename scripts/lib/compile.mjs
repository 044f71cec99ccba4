/**
 * Compiles `lib/` to `dist/`, file by file: what runs in pages with the types of browsers, everything
 * else with Node's alone.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
export const lib = join(root, 'lib')
export const dist = join(root, 'dist')
/** Written by each compilation. */
const STAMP = join(dist, 'lib.tsbuildinfo')

/** @param {string} directory */
const filesIn = (directory) =>
  existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: 'utf8' }) : []

/** @param {string} project */
const compile = (project) => {
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  return spawnSync(process.execPath, [tsc, '-p', join(lib, project)], { stdio: 'inherit', cwd: root }).status === 0
}

/** Removes what was compiled from files that are gone: it would still be found. */
const removeStale = () => {
  for (const file of filesIn(dist)) {
    const source = file.replace(/(\.d\.ts|\.js)$/, '.ts')
    if (/\.(js|ts|css)$/.test(file) && !existsSync(join(lib, source))) rmSync(join(dist, file))
  }
}

/**
 * Writes what has changed. Files whose types are wrong are compiled, too.
 * @returns {boolean} Whether all types are right.
 */
export const buildLib = () => {
  const areTypesRight = ['tsconfig.page.json', 'tsconfig.json'].map(compile).every(Boolean)
  for (const file of filesIn(lib)) if (file.endsWith('.css')) copyFileSync(join(lib, file), join(dist, file))
  removeStale()
  return areTypesRight
}

/** Whether `lib/` has changed since it was compiled. */
export const isStale = () => {
  if (!existsSync(STAMP)) return true
  const { mtimeMs } = statSync(STAMP)
  return filesIn(lib).some((file) => statSync(join(lib, file)).mtimeMs > mtimeMs)
}
