/** Every link of every document leads somewhere, in the repository and in the package. */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MISSING, addressOf } from '../../scripts/package/address.mjs'
import { documentsIn, packedBy, packedText } from '../../scripts/package/documents.mjs'
import { anchorsOf, isLocal, linksOf } from '../../scripts/package/links.mjs'
import { documentText, root } from '../support/documents.js'

/** Every Markdown file of the repository. Not asked of git, which a container may lack. */
const markdownIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory())
      return /^(?:\.git|__test__|target|corpus|node_modules)$/.test(entry.name) ? [] : markdownIn(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
const DOCUMENTS = [...markdownIn('.'), 'llms.txt']
const manifest = JSON.parse(documentText('package.json'))
const repository = { url: 'git+https://github.com/owner/name.git' }
const address = addressOf({ version: '1.2.3', repository })!

/** What is wrong with a link from a document to a file of the repository. */
const problemOf = (path: string, target: string): string | undefined => {
  const [file = '', anchor] = target.split('#')
  const wanted = file === '' ? path : posix.join(posix.dirname(path), decodeURIComponent(file))
  if (!existsSync(join(root, wanted))) return `${target}: there is no ${wanted}`
  if (anchor === undefined || statSync(join(root, wanted)).isDirectory()) return undefined
  const anchors = anchorsOf(documentText(wanted))
  return anchors.has(decodeURIComponent(anchor)) ? undefined : `${target}: ${wanted} has no such heading`
}

describe('links', () => {
  it('are found, but not in code', () => {
    const text =
      '[a](b.md) ![c](d.png "e") `[f](g)` [`h`](i#j) <a href="k"> <img src="l" srcset="m">\n```\n[n](o)\n```\n[p]: q\n'
    expect(linksOf(text).map(({ target, isPicture }) => [target, isPicture])).toEqual([
      ['b.md', false],
      ['d.png', true],
      ['i#j', false],
      ['k', false],
      ['l', true],
      ['m', true],
      ['q', false],
    ])
  })

  it('lead to headings by their GitHub anchors', () => {
    const text = '# The `a-b`, *c*!\n## 平台 x\n## [Links](x.md)\n## Links\n```sh\n# no\n```\n'
    expect([...anchorsOf(text)]).toEqual(['the-a-b-c', '平台-x', 'links', 'links-1'])
  })
})

describe('in the repository', () => {
  it('there are documents', () => {
    expect(DOCUMENTS.length).toBeGreaterThan(20)
  })

  it.each(DOCUMENTS)('every link of %s leads to a file and a heading', (path) => {
    const links = linksOf(documentText(path)).map(({ target }) => target)
    expect(links.filter(isLocal).flatMap((target) => problemOf(path, target) ?? [])).toEqual([])
    const others = links.filter((target) => !isLocal(target))
    expect(others.filter((target) => !URL.canParse(target) || !target.startsWith('https://'))).toEqual([])
  })
})

describe('tables', () => {
  /** How many cells a row has. Bars in code are text. */
  const cellsIn = (row: string): number =>
    row
      .replaceAll(/\\\||`[^`]*`/g, 'x')
      .replace(/^\s*\|/, '')
      .replace(/\|\s*$/, '')
      .split('|').length

  it.each(DOCUMENTS)('of %s have as many columns below the head as in it, or GitHub shows no table', (path) => {
    const lines = documentText(path).split('\n')
    const wrong = lines.filter((line, at) => {
      const head = lines[at - 1] ?? ''
      return /^\|(?:\s*:?-+:?\s*\|)+$/.test(line) && cellsIn(line) !== cellsIn(head)
    })
    expect(wrong).toEqual([])
  })
})

describe('in the package', () => {
  const isPacked = packedBy(manifest)

  it.each(documentsIn(root))('every link of %s leads to a packed file, or is absolute', (path) => {
    const links = linksOf(packedText({ path, text: documentText(path) }, address, isPacked))
    const { pages, pictures } = { pages: address.page(''), pictures: address.raw('') }
    for (const { target, isPicture } of links) {
      if (isLocal(target)) {
        expect(problemOf(path, target)).toBeUndefined()
        const file = target.split('#')[0] ?? ''
        if (file !== '') expect(isPacked(posix.join(posix.dirname(path), file)), target).toBe(true)
        if (file !== '') expect(path, target).not.toMatch(/^README/)
      }
      for (const base of [pages, pictures]) {
        if (target.startsWith(base)) {
          expect(isPicture).toBe(base === pictures)
          expect(problemOf('README.md', target.slice(base.length))).toBeUndefined()
        }
      }
    }
  })

  it('the README has no link that npm would break', () => {
    const text = '[a](docs/a.md#b) ![c](docs/c.png) [d](#e) [f](https://example.com/)'
    expect(packedText({ path: 'README.md', text }, address, isPacked)).toBe(
      '[a](https://github.com/owner/name/blob/v1.2.3/docs/a.md#b) ![c](https://github.com/owner/name/raw/v1.2.3/docs/c.png) [d](#e) [f](https://example.com/)',
    )
  })

  it('links between guides stay relative', () => {
    const text = '[a](b.md) [c](../examples/d.ts)'
    expect(packedText({ path: 'docs/a.md', text }, address, isPacked)).toBe(
      '[a](b.md) [c](https://github.com/owner/name/blob/v1.2.3/examples/d.ts)',
    )
  })
})

describe('the address of the repository', () => {
  it.each([
    ['https://gitlab.com/group/sub/name', 'https://gitlab.com/group/sub/name/-/blob/v1.0.0/x'],
    ['git+https://codeberg.org/owner/name.git', 'https://codeberg.org/owner/name/src/tag/v1.0.0/x'],
  ])('can be %s', (url, page) => {
    expect(addressOf({ version: '1.0.0', repository: { url } })?.page('x')).toBe(page)
  })

  it.each(['git@github.com:owner/name.git', 'https://example.com/owner/name', 'github:owner/name'])(
    'cannot be %s',
    (url) => {
      expect(() => addressOf({ version: '1.0.0', repository: { url } })).toThrow(/^repository\.url .* npm pkg set /)
    },
  )

  /** Runs a step in a copy of what it needs. */
  const inCopy = (given: object, ...steps: string[]) => {
    const copy = mkdtempSync(join(tmpdir(), 'promptmason-documents-'))
    try {
      for (const path of [...documentsIn(root), 'scripts/package']) {
        mkdirSync(dirname(join(copy, path)), { recursive: true })
        cpSync(join(root, path), join(copy, path), { recursive: true })
      }
      writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, repository: undefined, ...given }))
      const read = () => readFileSync(join(copy, 'README.md'), 'utf8')
      return steps.map((step) => {
        try {
          const options = { cwd: copy, encoding: 'utf8', stdio: 'pipe' } as const
          execFileSync(process.execPath, ['scripts/package/documents.mjs', step], options)
          return read()
        } catch (error) {
          return (error as { stderr: string }).stderr.trim()
        }
      })
    } finally {
      rmSync(copy, { recursive: true })
    }
  }

  it('may be missing when the package is packed, but not when it is published', () => {
    const [packed, published] = inCopy({}, 'write', 'ready')
    expect(packed).toBe(documentText('README.md'))
    expect(published).toBe(MISSING)
    expect(MISSING).toContain('npm pkg set repository.type=git repository.url=git+https://')
  })

  it('makes links absolute only while the package is packed', () => {
    const [first, again, restored, twice, published] = inCopy(
      { repository },
      'write',
      'write',
      'restore',
      'restore',
      'ready',
    )
    expect(first).toContain(`](https://github.com/owner/name/blob/v${manifest.version}/docs/`)
    expect(again).toBe(first)
    for (const text of [restored, twice, published]) expect(text).toBe(documentText('README.md'))
  })

  it('is required by npm and by the workflow', () => {
    const { prepack, postpack, prepublishOnly } = manifest.scripts
    const documents = 'node scripts/package/documents.mjs'
    expect([prepack, postpack, prepublishOnly]).toEqual([
      `npm run build:lib && node scripts/package/unneeded.mjs && ${documents} write`,
      `${documents} restore`,
      `${documents} ready`,
    ])
    const release = documentText('.github/workflows/release.yml')
    expect(release.indexOf('npm run prepublishOnly')).toBeLessThan(release.indexOf('npm run build'))
    expect(release.indexOf('npm run prepack')).toBeLessThan(release.indexOf('npm publish'))
  })
})
