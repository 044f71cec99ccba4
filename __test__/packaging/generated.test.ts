/** Generated documents match the files they are generated from. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { llmsText } from '../../scripts/docs/llms.mjs'
import { declarationsOf, isCallable, membersOf, nameOf } from '../../scripts/docs/declarations.mjs'
import { subjectsOf } from '../../scripts/docs/exports.mjs'
import { referenceText } from '../../scripts/docs/reference.mjs'
import { linksOf } from '../../scripts/package/links.mjs'
import { documentText, root } from '../support/documents.js'
import { hasTools } from '../support/tools.js'

describe('the index of the docs', () => {
  const listed = linksOf(documentText('docs/README.md')).map(({ target }) => target)

  it('lists every page and every example once', () => {
    const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md')
    expect(listed.filter((target) => /^[\w-]+\.md$/.test(target)).toSorted()).toEqual(pages.toSorted())
    const examples = readdirSync(join(root, 'examples'), { withFileTypes: true }).filter((entry) => entry.isFile())
    const names = examples.map(({ name }) => `../examples/${name}`)
    expect(listed.filter((target) => target.startsWith('../examples/')).toSorted()).toEqual(names.toSorted())
  })

  it('matches llms.txt: run node scripts/docs/generate.mjs', () => {
    expect(documentText('llms.txt')).toBe(llmsText(root))
  })
})

describe('the reference', () => {
  const reference = documentText('docs/reference.md')

  it.skipIf(!hasTools)('matches the types: run node scripts/docs/generate.mjs', () => {
    expect(reference).toBe(referenceText(root))
  })

  it.skipIf(!hasTools)('has every exported declaration once, by its name, and what it is made of', () => {
    const sections = reference.split(/^### /m).slice(1)
    const isPart = (text: string) => text.includes('\nNot exported: ')
    const headings = sections.filter((text) => !isPart(text)).map((text) => /^`(\w+)`\n/.exec(text)?.[1])
    const names = subjectsOf(root).flatMap(({ exports }) => exports.map(({ name }) => name))
    expect(headings.toSorted()).toEqual(names.toSorted())
    expect(headings.length).toBeGreaterThan(150)
    expect(sections.filter(isPart).length).toBeLessThan(10)
  })

  it('has no bodies, and nothing that is private', () => {
    expect(reference).not.toMatch(/#private|^ *(?:- `)?(?:private|protected) |\bimport\('|=> \{$/m)
  })

  it('reads declarations with their comments and members', () => {
    const text = `/** File. */
import type { X } from './x.js'

/** What a is. */
export interface A<T>
  extends B {
  /**
   * One.
   * @default 1
   */
  one?: T | null | undefined
  two: {
    /** Inside. */
    three: string
  }
  'four-five': 4
}

export declare function f(
  a: A,
): void
/** Calls g. */
export declare const g: <T extends () => void>(a: (b: T) => void) => import('./a.js').A<T>
export declare class C {
  #private
  private d
  /** Says e. */
  e(): string
}
export declare const D: 1
// A remark.
export {}
`
    const [first, second, third, fourth, fifth, ...more] = declarationsOf(text)
    expect(more).toEqual([])
    expect(nameOf(first!)).toBe('A')
    expect(first!.doc).toBe('What a is.')
    expect(membersOf(first!)).toEqual({
      head: 'export interface A<T> extends B',
      members: [
        { doc: 'One.\n@default 1', code: '  one?: T | null | undefined' },
        { doc: '', code: '  two: {\n    /** Inside. */\n    three: string\n  }' },
        { doc: '', code: "  'four-five': 4" },
      ],
    })
    expect(second).toEqual({ doc: '', code: 'export declare function f(\n  a: A,\n): void' })
    expect(membersOf(second!)).toBeUndefined()
    const code = 'export declare function g<T extends () => void>(a: (b: T) => void): A<T>'
    expect(third).toEqual({ doc: 'Calls g.', code })
    expect(membersOf(fourth!)?.members).toEqual([{ doc: 'Says e.', code: '  e(): string' }])
    expect([first, second, third, fourth, fifth].map((each) => isCallable(each!))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ])
  })
})
