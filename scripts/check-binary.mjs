/**
 * Fails if the built binary needs a library that not every system has:
 *
 *     node scripts/check-binary.mjs x86_64-unknown-linux-gnu
 *
 * Every binary format stores the names of linked libraries as text.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** The C library of CentOS 7 and of everything newer. */
const NEWEST_GLIBC = '2.17'

const byNumber = new Intl.Collator('en', { numeric: true })

/**
 * @param {string} target
 * @param {Buffer} binary
 * @returns {string[]} What is wrong.
 */
export const problemsOf = (target, binary) => {
  const text = binary.toString('latin1')
  const glibc = [...new Set(text.match(/(?<=GLIBC_)\d+(?:\.\d+)+/g))].toSorted(byNumber.compare)
  if (target.endsWith('-gnu')) {
    if (glibc.length === 0) return ['names no version of glibc: is it a binary for it?']
    return glibc
      .filter((version) => byNumber.compare(version, NEWEST_GLIBC) > 0)
      .map((version) => `needs glibc ${version}, newer than ${NEWEST_GLIBC}`)
  }
  if (target.endsWith('-musl')) return glibc.length === 0 ? [] : ['needs glibc']
  if (target.endsWith('-msvc'))
    return [...new Set(text.match(/(?:VCRUNTIME|MSVCP)\d\w*\.dll|api-ms-win-crt-[\w-]+\.dll/gi))].map(
      (name) => `needs ${name}`,
    )
  return []
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const target = process.argv[2] ?? ''
  const binaries = readdirSync('.').filter((name) => name.endsWith('.node'))
  const problems = binaries.flatMap((name) =>
    problemsOf(target, readFileSync(name)).map((problem) => `${name} ${problem}`),
  )
  if (binaries.length !== 1) problems.push(`there must be one binary, and there are ${binaries.length}`)
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}
