/**
 * Compiles `lib/` to `dist/`, file by file: what runs in pages with the types of browsers, everything
 * else with Node's alone. Both at once, and each only if something has changed.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
export const lib = join(root, 'lib')
export const dist = join(root, 'dist')

const PAGE = /^(?:explain\/page\/view|play\/page)\//

/** Each has a record of what it was made of. */
const PROJECTS = [
  {
    config: 'tsconfig.json',
    record: join(dist, 'lib.tsbuildinfo'),
    has: (/** @type {string} */ file) => !PAGE.test(file),
  },
  {
    config: 'tsconfig.page.json',
    record: join(dist, 'page.tsbuildinfo'),
    has: (/** @type {string} */ file) => PAGE.test(file),
  },
]

/** @typedef {(typeof PROJECTS)[number]} Project */

/** The files in a directory, with slashes. @param {string} directory */
const filesIn = (directory) =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'))
    : []

/** When a file was last written, unless there is none. @param {string} path */
const timeOf = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs

/** What a file of `lib/` becomes in `dist/`. @param {string} file */
const outputsOf = (file) =>
  file.endsWith('.ts')
    ? [file.replace(/\.ts$/, '.js'), file.replace(/\.ts$/, '.d.ts')]
    : file.endsWith('.css')
      ? [file]
      : []

/**
 * Whether something was written after a project was compiled. What only its types are made of does not
 * count: it would be compiled to the same.
 * @param {Project} project
 * @param {string[]} sources
 */
const isChanged = ({ record, has }, sources) => {
  const since = timeOf(record) ?? 0
  const own = sources.filter((file) => file.endsWith('.ts') && has(file))
  const others = [...PROJECTS.map(({ config }) => config), '../binding.d.ts']
  return [...own, ...others].some((file) => (timeOf(join(lib, file)) ?? 0) > since)
}

/** What has to be done. */
const look = () => {
  const sources = filesIn(lib)
  const outputs = new Set(sources.flatMap(outputsOf))
  const present = filesIn(dist).filter((file) => /\.(?:js|ts|css)$/.test(file))
  const styles = sources.filter((file) => file.endsWith('.css'))
  const isMissing = present.filter((file) => outputs.has(file)).length < outputs.size
  const left = present.filter((file) => !outputs.has(file))
  return {
    /** What was compiled from files that are gone. It would still be found. */
    left,
    styles: styles.filter((file) => (timeOf(join(lib, file)) ?? 0) > (timeOf(join(dist, file)) ?? 0)),
    /** The compiler relies on its record, and would not write a missing file again. */
    isMissing,
    projects: PROJECTS.filter((project) => isMissing || left.length > 0 || isChanged(project, sources)),
  }
}

/** @param {Project} project @returns {Promise<boolean>} */
const compile = ({ config, record }) => {
  const start = new Date()
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  const child = spawn(process.execPath, [tsc, '-p', join(lib, config)], { stdio: 'inherit', cwd: root })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => {
      // What changes meanwhile counts as changed, and a record that stays as it is counts as new.
      if (existsSync(record)) utimesSync(record, start, start)
      resolve(status === 0)
    })
  })
}

/**
 * Writes what has changed since the last time. Files whose types are wrong are compiled, too.
 * @param {{ isComplete?: boolean }} [options] Whether to check all types, also of what has not changed.
 * @returns {Promise<boolean>} Whether no type is wrong.
 */
export const buildLib = async ({ isComplete = false } = {}) => {
  const { left, styles, isMissing, projects } = look()
  for (const file of left) rmSync(join(dist, file))
  if (isMissing) for (const { record } of PROJECTS) rmSync(record, { force: true })
  for (const file of styles) {
    mkdirSync(dirname(join(dist, file)), { recursive: true })
    copyFileSync(join(lib, file), join(dist, file))
  }
  return (await Promise.all((isComplete ? PROJECTS : projects).map(compile))).every(Boolean)
}
