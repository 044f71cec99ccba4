/**
 * What has to work on every runtime, without a test runner, so that nothing but promptmason is
 * tested. Prints `{ checks, failed }` and exits with 1 if a check failed.
 */
import * as promptmason from '../../index.js'
import { BEHAVIOUR_CHECKS } from './behaviour.mjs'
import { EXPORT_CHECKS } from './exports.mjs'
import { removeFolder } from './materials.mjs'

const hasCheck = (/** @type {string} */ name) => ['default', 'module.exports'].includes(name) || name in EXPORT_CHECKS
const failed = Object.keys(promptmason)
  .filter((name) => !hasCheck(name))
  .map((name) => `${name}: has no check in __test__/runtimes/exports.mjs`)

const checks = Object.entries({ ...EXPORT_CHECKS, ...BEHAVIOUR_CHECKS })
for (const [name, check] of checks) {
  try {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that a crash is of one check
    await check()
  } catch (error) {
    failed.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`)
  }
}
removeFolder()
console.log(JSON.stringify({ checks: checks.length, failed }))
process.exitCode = failed.length === 0 ? 0 : 1
