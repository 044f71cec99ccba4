/** js/fields.js passes fields by position: its order is that of the native side, and of the declared types. */
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ContextManager, type ContextManagerOptions } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { untyped } from '../support/assemblers.js'

const root = join(import.meta.dirname, '..', '..')
const require = createRequire(import.meta.url)
type Call = (...given: unknown[]) => unknown
const { nativeParameters } = untyped<{ nativeParameters: () => Record<string, string[]> }>(require('../../binding.js'))
const fields = untyped<Record<'passAssemblerInput' | 'passPromptInput', Call>>(require('../../js/fields.js'))

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

describe('what a manager passes by position', () => {
  const binding = untyped<Record<'keepTurn' | 'keepEnvelope' | 'createManager', Call>>(require('../../binding.js'))
  /** The arguments of the first call of a native function, by the names that are declared for them. */
  const passed = (name: 'keepTurn' | 'keepEnvelope' | 'createManager', run: () => unknown): Record<string, unknown> => {
    const calls: unknown[][] = []
    const original = binding[name]
    binding[name] = (...given) => { calls.push(given); return original(...given) }
    try { run() } catch {} finally { binding[name] = original }
    const [given = []] = calls
    expect(given).toHaveLength(declared[name]?.length ?? 0)
    return Object.fromEntries(given.map((value, index) => [declared[name]?.[index], value]))
  }
  /** An object whose fields are their own names, as far as they are listed. */
  const naming = (...names: string[]): object => Object.fromEntries(names.map((name) => [name, name]))

  it('for a turn', () => {
    const manager = untyped<{ assembleForRoute: Call }>(new ContextManager())
    const options = ['systemInstruction', 'instructionFileText', 'windowSizeOverride', 'recipient', 'maxSiblings', 'forceParentReinsertion', 'maxTokens', 'tokenizer']
    const route = ['parentMessageId', 'targetMemberId', 'intent']
    const given = passed('keepTurn', () => manager.assembleForRoute('agentId', 'codex', naming(...route), naming(...options)))
    expect(given).toMatchObject({ agentId: 'agentId', isRouted: true, ...naming(...options, ...route) })
    const misnamed = passed('keepTurn', () => manager.assembleForRoute('agentId', 'codex', naming(...route), naming('systemInstructionText')))
    expect(misnamed).toMatchObject({ systemInstruction: undefined, systemInstructionText: 'systemInstructionText' })
  })

  it('for a message', () => {
    const manager = untyped<{ addMessage: Call }>(new ContextManager())
    const [speaker, routing] = [naming('id', 'name', 'roleId', 'roleName'), { resolvedAddressees: ['a', 'b'], addressees: ['c'] }]
    const message = { speaker: { ...speaker, type: 'kind' }, routing, content: 'content' }
    expect(passed('keepEnvelope', () => manager.addMessage(message))).toMatchObject({
      message, content: 'content', speaker: message.speaker, routing, kind: 'kind', ...speaker, ...routing,
    })
  })

  it('for its options', () => {
    const hooks = { onMessageAdded: () => 1, onTeamTaskChanged: () => 2, onAssembled: () => 3, logger: { warn: () => 4 } }
    expect(passed('createManager', () => new ContextManager(untyped<ContextManagerOptions>(hooks)))).toEqual({ options: hooks, ...hooks, maxTokens: undefined, functions: [] })
  })
})
