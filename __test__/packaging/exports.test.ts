/** What index.js exports is what the types declare, and what `import` finds. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as promptmason from 'promptmason'
import { describe, expect, it } from 'vitest'
import { told } from '../support/child.js'
import { documentText, root } from '../support/documents.js'
import { isDeno } from '../support/runtime.js'

/** The files that index.d.ts exports everything of. */
const barrel = documentText('index.d.ts')
const files = [...barrel.matchAll(/^export \* from '\.\/(types\/[\w-]+)\.js'$/gm)].map(([, file]) => `${file}.d.ts`)
const types = files.map(documentText).join('\n')
/** Types that others refer to, but users do not. */
const INTERNAL = ['types/context-assembler.d.ts', 'types/materials.d.ts']
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name]) => name ?? '').toSorted()
const unique = (names: string[]): string[] => [...new Set(names)]

const declared = unique(
  namesIn(types, /^export declare (?:abstract )?(?:class|const|enum|function|let|namespace|var) (\w+)/gm),
)
const exported = namesIn(documentText('index.js'), /^module\.exports\.(\w+) = /gm)

/** The body of a class or namespace. */
const bodyOf = (head: string, text = types): string => text.split(`${head} `)[1]?.split('\n}')[0] ?? ''
const methodsOf = (body: string): string[] =>
  unique(namesIn(body, /^ {2}(?:export function )?(\w+)[(<]/gm)).filter((name) => name !== 'constructor')
const ownMethods = (prototype: object): string[] =>
  Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .toSorted()

describe('the exports', () => {
  it('match the declared types', () => {
    expect(exported.length).toBeGreaterThan(15)
    expect(exported).toEqual(declared)
  })

  it('are declared once', () => {
    const heads = types.split('\n').filter((line) => /^(export|declare)\b/.test(line))
    expect(heads.filter((line) => !/^(export (declare|interface|type) |export \{\}$)/.test(line))).toEqual([])
  })

  it('have their types in index.d.ts, except internal ones', () => {
    const statements = barrel
      .replace(/\/\*\*.*?\*\//s, '')
      .trim()
      .split('\n')
    expect(statements).toHaveLength(files.length)
    const all = readdirSync(join(root, 'types')).map((name) => `types/${name}`)
    expect([...files, ...INTERNAL].toSorted()).toEqual(all.toSorted())
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
    expect(types).toContain(`export declare class ${name} extends ContextAssembler {`)
    const base = Object.getPrototypeOf(promptmason[name].prototype)
    expect(ownMethods(base)).toEqual(
      methodsOf(bodyOf('declare class ContextAssembler', documentText('types/context-assembler.d.ts'))),
    )
    expect(ownMethods(promptmason[name].prototype)).toEqual([])
  })

  it('ContextManager has the declared methods', () => {
    expect(ownMethods(promptmason.ContextManager.prototype)).toEqual(
      methodsOf(bodyOf('declare class ContextManager<M')),
    )
  })

  it.each(['InstructionPrompt', 'SystemPrompt'] as const)('%s has the declared functions', (name) => {
    expect(Object.keys(promptmason[name]).toSorted()).toEqual(methodsOf(bodyOf(`declare namespace ${name}`)))
  })
})
