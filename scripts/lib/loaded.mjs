/** Which test files have loaded which files of `lib/`, as the last run of each has recorded it. */
import { mkdirSync, readFileSync, readdirSync, existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { dist } from './compile.mjs'

const root = join(import.meta.dirname, '..', '..')
const RECORDS = join(root, 'node_modules', '.cache', 'promptmason', 'loaded')

/**
 * Records what a test file has loaded.
 * @param {string} test Its path.
 * @param {string[]} files Everything that is loaded.
 */
export const record = (test, files) => {
  const loaded = files.filter((file) => file.startsWith(dist)).map((file) => sourceOf(relative(dist, file)))
  const name = relative(root, test)
  mkdirSync(RECORDS, { recursive: true })
  writeFileSync(join(RECORDS, `${name.replaceAll(/[\\/]/g, '+')}.json`), JSON.stringify({ test: name, loaded }))
}

/** @param {string} file */
const sourceOf = (file) => file.replaceAll('\\', '/').replace(/\.js$/, '.ts')

/**
 * The test files that have loaded a file of `lib/`, and those of its subject: processes that they
 * start may load it.
 * @param {string} file Its path in `lib/`.
 * @returns {string[]}
 */
export const testsThatLoad = (file) => {
  const source = file.replaceAll('\\', '/')
  const [subject = ''] = source.split('/')
  const records = existsSync(RECORDS) ? readdirSync(RECORDS) : []
  const recorded = records.flatMap((name) => {
    const { test, loaded } = JSON.parse(readFileSync(join(RECORDS, name), 'utf8'))
    return loaded.includes(source) && existsSync(join(root, test)) ? [test] : []
  })
  const own = join('__test__', subject)
  const ofSubject = existsSync(join(root, own)) ? testsIn(own) : []
  return [...new Set([...recorded, ...ofSubject])]
}

/**
 * @param {string} directory
 * @returns {string[]}
 */
const testsIn = (directory) =>
  readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !basename(dirname(name)).startsWith('.'))
    .map((name) => join(directory, name))
