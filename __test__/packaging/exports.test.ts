/** What index.js exports is what index.d.ts declares, and what `import` finds. */
import * as promptmason from 'promptmason'
import { describe, expect, it } from 'vitest'
import { membersOf } from '../../scripts/docs/declarations.mjs'
import { declarationsOfName, subjectsOf } from '../../scripts/docs/exports.mjs'
import { told } from '../support/child.js'
import { documentText, root } from '../support/documents.js'
import { isDeno } from '../support/runtime.js'
import { hasTools } from '../support/tools.js'

const exported = hasTools ? subjectsOf(root).flatMap(({ exports }) => exports) : []
const declared = exported.flatMap(({ name, isType }) => (isType ? [] : [name])).toSorted()
const unique = (names: string[]): string[] => [...new Set(names)]

/** A class or an object, as it is declared. */
const declarationOf = (name: string, file = exported.find((each) => each.name === name)?.file ?? '') => {
  const [declaration] = declarationsOfName(root, file, name)
  const { head, members } = membersOf(declaration!)!
  const methods = members.flatMap(({ code }) => /^ {2}(?:readonly |function )?(\w+)[?(<:]/.exec(code)?.[1] ?? [])
  return { file, head, methods: unique(methods.filter((method) => method !== 'constructor')).toSorted() }
}
const ownMethods = (prototype: object): string[] =>
  Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .toSorted()

describe.skipIf(!hasTools)('the exports', () => {
  it('match the declared types', () => {
    expect(declared.length).toBeGreaterThan(30)
    const names = documentText('index.js').matchAll(/^module\.exports\.(\w+) = /gm)
    expect(Array.from(names, ([, name]) => name).toSorted()).toEqual(declared)
  })

  it('are declared once, by name', () => {
    const names = exported.map(({ name }) => name)
    expect(names).toEqual(unique(names))
    const others = documentText('index.d.ts')
      .replaceAll(/\/\*\*.*?\*\//gs, '')
      .replaceAll(/^export (type )?\{[^}]*\} from '\.\/dist\/[\w/.-]+\.js'$/gm, '')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('// '))
    expect(others).toEqual([])
  })

  // A program that Deno is given with `-e` cannot use import(): `npm run test:runtimes` does.
  it.skipIf(isDeno)('can be required and imported', () => {
    const program = `const found = await import('promptmason')
      tell([Object.keys(require('promptmason')), Object.keys(found), Object.keys(found.default)])`
    const [required, imported, ofDefault] = told<string[][]>(program).map((names) => names.toSorted())
    expect(required).toEqual(declared)
    expect(ofDefault).toEqual(declared)
    // Node adds these two.
    expect(imported?.filter((name) => name !== 'default' && name !== 'module.exports')).toEqual(declared)
  })

  it.each([
    'ClaudeContextAssembler',
    'CodexContextAssembler',
    'GeminiContextAssembler',
    'LayoutAssembler',
    'PlainTextAssembler',
  ] as const)('%s has the declared methods', (name) => {
    const { head, file } = declarationOf(name)
    expect(head).toContain(`class ${name} extends ContextAssembler`)
    const base = Object.getPrototypeOf(promptmason[name].prototype)
    expect(ownMethods(base)).toEqual(declarationOf('ContextAssembler', file).methods)
    expect(ownMethods(promptmason[name].prototype)).toEqual([])
  })

  it('ContextManager has the declared methods', () => {
    expect(ownMethods(promptmason.ContextManager.prototype)).toEqual(declarationOf('ContextManager').methods)
  })

  it.each(['InstructionPrompt', 'SystemPrompt'] as const)('%s has the declared functions', (name) => {
    expect(Object.keys(promptmason[name]).toSorted()).toEqual(declarationOf(name).methods)
  })
})
