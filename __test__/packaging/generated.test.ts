/** Generated documents match the files they are generated from. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { llmsText } from '../../scripts/docs/llms.mjs'
import { declarationsOf, membersOf, nameOf } from '../../scripts/docs/declarations.mjs'
import { referenceText } from '../../scripts/docs/reference.mjs'
import { linksOf } from '../../scripts/package/links.mjs'
import { documentText, root } from '../support/documents.js'

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

  it('matches the types: run node scripts/docs/generate.mjs', () => {
    expect(reference).toBe(referenceText(root))
  })

  it('has every declaration of every file once, by its name', () => {
    const texts = readdirSync(join(root, 'types')).map((file) => documentText(`types/${file}`))
    const pattern = /^(?:export )?(?:declare )?(?:interface|type|class|namespace|const|function) (\w+)/gm
    const names = new Set([...texts.join('\n').matchAll(pattern)].map(([, name]) => name))
    const headings = [...reference.matchAll(/^### `(\w+)`$/gm)].map(([, name]) => name)
    expect(headings.toSorted()).toEqual([...names].toSorted())
    expect(headings.length).toBeGreaterThan(150)
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
// A remark.
export {}
`
    const [first, second, ...more] = declarationsOf(text)
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
  })
})
