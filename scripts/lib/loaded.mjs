/** Which test files have loaded which files of `lib/`, as the last run of each has recorded it. */
import { mkdirSync, readFileSync, readdirSync, existsSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
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

/** Whether a test has the subject of a file of `lib/`. @param {string} test @param {string} file */
export const isOfSubject = (test, file) => {
  const [subject = ''] = file.replaceAll('\\', '/').split('/')
  return test.replaceAll('\\', '/').startsWith(`__test__/${subject}/`)
}

/**
 * The test files that have loaded a file of `lib/`, those of its subject, because processes that they
 * start may load it, and those of which nothing is known yet.
 * @param {string} file Its path in `lib/`.
 * @returns {string[]}
 */
export const testsThatLoad = (file) => {
  const source = file.replaceAll('\\', '/')
  const records = new Map(
    (existsSync(RECORDS) ? readdirSync(RECORDS) : []).map((name) => {
      const { test, loaded } = JSON.parse(readFileSync(join(RECORDS, name), 'utf8'))
      return [test, loaded]
    }),
  )
  return readdirSync(join(root, '__test__'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('__test__', name))
    .filter((test) => isOfSubject(test, file) || (records.get(test)?.includes(source) ?? true))
}
