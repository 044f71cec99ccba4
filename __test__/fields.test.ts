/** js/fields.js passes fields by position: its order is that of the native side, and of the declared types. */
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { untyped } from './support/assemblers.js'

const root = join(import.meta.dirname, '..')
const require = createRequire(import.meta.url)
type Call = (...given: unknown[]) => unknown
const { nativeParameters } = untyped<{ nativeParameters: () => Record<string, string[]> }>(require('../binding.js'))
const fields = untyped<Record<'passAssemblerInput' | 'passPromptInput', Call>>(require('../js/fields.js'))

const camelCase = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const native = Object.fromEntries(Object.entries(nativeParameters()).map(([name, parameters]) => [name, parameters.map(camelCase)]))

const declared = Object.fromEntries(
  [...readFileSync(join(root, 'binding.d.ts'), 'utf8').matchAll(/^export declare function (\w+)\((.*)\): /gm)]
    .map(([, name, parameters]) => [name, (parameters ?? '').split(', ').map((parameter) => parameter.split(':')[0])]),
)

/** An object whose every field is its own name. */
const named = new Proxy({}, { get: (_, field) => field })
/** The arguments that a native function would get. */
const argumentsOf = (pass: Call, ...before: unknown[]): unknown[] => {
  let received: unknown[] = []
  pass((...given: unknown[]) => { received = given }, ...before, named)
  return received
}

describe('the order of fields', () => {
  it.each(Object.keys(native))('%s: is declared as native code takes it', (name) => {
    expect(declared[name]).toEqual(native[name])
  })

  it.each([
    ['assemble', argumentsOf(fields.passAssemblerInput, 1, 0)],
    ['buildPrompt', argumentsOf(fields.passPromptInput, 0)],
  ])('%s: is that of js/fields.js', (name, given) => {
    const parameters = native[name] ?? []
    expect(given).toHaveLength(parameters.length)
    const first = parameters.indexOf('input') + 1
    expect(first).toBeGreaterThan(1)
    // The last one is read only where the right name is missing; here it is the right one.
    const [misnamed, right] = [parameters.at(-1), parameters[first]]
    expect([misnamed, right].toSorted()).toEqual(['systemInstruction', 'systemInstructionText'])
    expect(given.slice(first, -1)).toEqual(parameters.slice(first, -1))
  })
})
