/**
 * Prints what became of the checks or of the tests, and ends with 1 if one has failed for a reason
 * that is not Wine's.
 *
 *   node results.mjs checks <stdout> <stderr>
 *   node results.mjs tests <vitest's JSON> <stderr>
 */
import { readFileSync } from 'node:fs'
import { WINE_LIMITS } from './wine-limits.mjs'

const [kind, output, errors] = process.argv.slice(2)
const read = (/** @type {string} */ file) => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** @typedef {{ name: string, message: string }} Failure */

/** @returns {{ passed: number, skipped: number, failures: Failure[] }} */
const readChecks = () => {
  const { checks, failed } = JSON.parse(read(output).trim().split('\n').at(-1) ?? '')
  const failures = failed.map((/** @type {string} */ text) => ({ name: text.split(':')[0], message: text }))
  return { passed: checks - failures.length, skipped: 0, failures }
}

/** @returns {{ passed: number, skipped: number, failures: Failure[] }} */
const readTests = () => {
  const { testResults, numPassedTests, numPendingTests } = JSON.parse(read(output))
  const failures = testResults.flatMap((/** @type {any} */ file) => {
    const name = file.name.replaceAll('\\', '/').replace(/^.*(?=__test__)/, '')
    const failed = file.assertionResults.filter((/** @type {any} */ each) => each.status === 'failed')
    if (file.status === 'failed' && failed.length === 0) return [{ name, message: file.message }]
    return failed.map((/** @type {any} */ each) => ({
      name: `${name} > ${each.fullName}`,
      message: each.failureMessages.join('\n'),
    }))
  })
  return { passed: numPassedTests, skipped: numPendingTests, failures }
}

let results
try {
  results = kind === 'checks' ? readChecks() : readTests()
} catch {
  console.log(`No results. What was written to stderr:\n${read(errors)}`)
  process.exit(1)
}

/** @type {Map<string, Failure[]>} */
const ofWine = new Map()
const others = results.failures.filter((failure) => {
  const limit = WINE_LIMITS.find(
    ({ names, message }) =>
      (names === undefined || names.some((name) => failure.name.includes(name))) &&
      (message === undefined || message.test(failure.message)),
  )
  if (limit !== undefined) ofWine.set(limit.reason, [...(ofWine.get(limit.reason) ?? []), failure])
  return limit === undefined
})

for (const [reason, failures] of ofWine) {
  console.log(`Wine: ${reason} (${failures.length}):`)
  for (const { name } of failures) console.log(`  ${name}`)
}
for (const { name, message } of others) console.log(`FAILED ${name}\n${message}`)
const { passed, skipped } = results
const limited = results.failures.length - others.length
console.log(`${passed} passed, ${others.length} failed, ${limited} not possible with Wine, ${skipped} skipped`)
process.exit(others.length === 0 && passed > 0 ? 0 : 1)
