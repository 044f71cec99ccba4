/** What index.js exports is what index.d.ts declares, and what `import` finds. */
import * as promptmason from 'promptmason'
import { describe, expect, it } from 'vitest'
import { compiledText, subjectsOf } from '../../scripts/docs/exports.mjs'
import { told } from '../support/child.js'
import { documentText, root } from '../support/documents.js'
import { isDeno } from '../support/runtime.js'

const all = subjectsOf(root).flatMap(({ exports }) => exports)
const declared = all.flatMap(({ names, areTypes }) => (areTypes ? [] : names)).toSorted()
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name]) => name ?? '').toSorted()
const unique = (names: string[]): string[] => [...new Set(names)]
const fileOf = (name: string): string => all.find(({ names }) => names.includes(name))?.file ?? ''

/** The body of a class or an object, as it is declared. */
const bodyOf = (file: string, head: string): string =>
  compiledText(root, file).split(`${head} `)[1]?.split('\n}')[0] ?? ''
const methodsOf = (body: string): string[] =>
  unique(namesIn(body, /^ {2}(?:readonly )?(\w+)[?(<:]/gm)).filter((name) => name !== 'constructor')
const ownMethods = (prototype: object): string[] =>
  Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .toSorted()

describe('the exports', () => {
  it('match the declared types', () => {
    expect(declared.length).toBeGreaterThan(30)
    expect(namesIn(documentText('index.js'), /^module\.exports\.(\w+) = /gm)).toEqual(declared)
  })

  it('are declared once, by name', () => {
    const names = all.flatMap((each) => each.names)
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
    const file = fileOf(name)
    expect(compiledText(root, file)).toContain(`export declare class ${name} extends ContextAssembler {`)
    const base = Object.getPrototypeOf(promptmason[name].prototype)
    expect(ownMethods(base)).toEqual(methodsOf(bodyOf(file, 'declare class ContextAssembler')))
    expect(ownMethods(promptmason[name].prototype)).toEqual([])
  })

  it('ContextManager has the declared methods', () => {
    expect(ownMethods(promptmason.ContextManager.prototype)).toEqual(
      methodsOf(bodyOf(fileOf('ContextManager'), 'declare class ContextManager<M')),
    )
  })

  it.each(['InstructionPrompt', 'SystemPrompt'] as const)('%s has the declared functions', (name) => {
    expect(Object.keys(promptmason[name]).toSorted()).toEqual(
      methodsOf(bodyOf(fileOf(name), `export declare const ${name}:`)),
    )
  })
})
