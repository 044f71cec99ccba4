import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

interface Entry {
  candidate: string
  form: string
  median: number
  times: number[]
}
interface Workload {
  id: string
  entries: Entry[]
}
const results = JSON.parse(read('bench/results.json')) as { workloads: Workload[]; targets: { measured: string }[] }
const { speed } = (await import(join(root, 'bench/targets.mjs'))) as {
  speed(workload: Workload, ours: [string, string], than: [string, string]): number
}
const { times } = (await import(join(root, 'bench/figures.mjs'))) as { times(ratio: number): string }

const { WINDOWS, measure } = (await import(join(root, 'bench/sessions.mjs'))) as {
  WINDOWS: number[]
  measure(window: number): { window: number; whole: number; delta: number; ratio: string }
}

const rows = ['mixed', 'ascii', 'cjk', 'many-ascii', 'many-cjk', 'huge', 'session-cjk', 'tiny']
/** Like with like: ours, then the JavaScript that does the same. */
const columns: [string, string][] = [
  ['ContextManager', 'into'],
  ['best stateful JS', 'into'],
  ['ContextManager', 'bytes'],
  ['best stateful JS', 'bytes'],
  ['promptmason', 'bytes'],
  ['best JS', 'bytes'],
]
/** What the heads of these columns have in common in every language. */
const heads = [
  /`ContextManager`.*buffer/,
  /JS.*buffer/,
  /`ContextManager`.*Buffer/,
  /JS.*Buffer/,
  /`assemble`.*Buffer/,
  /JS/,
]

/** What a document says of the benchmark. */
const sectionOf = (name: string): string => read(name).split('<!-- benchmark -->')[1]?.split('\n## ')[0] ?? ''

describe('the figures of docs/performance.md', () => {
  const section = sectionOf('docs/performance.md')

  it('are listed under their candidates', () => {
    const head = section.split('\n').find((line) => line.startsWith('|')) ?? ''
    const cells = head.split('|').slice(2, -1)
    expect(cells).toHaveLength(heads.length)
    for (const [column, expected] of heads.entries()) expect(cells[column]).toMatch(expected)
  })

  it('are those of the recorded run', () => {
    const shown = section.split('\n').filter((line) => / \| [\d.]+ × \|/.test(line))
    const expected = rows.map((id) => {
      const workload = results.workloads.find((candidate) => candidate.id === id)!
      return columns.map((column) => times(speed(workload, column, ['linear JS', 'bytes'])))
    })
    expect(
      shown.map((line) =>
        line
          .split('|')
          .slice(2, -1)
          .map((cell) => cell.trim()),
      ),
    ).toEqual(expected)
  })
})

describe.each(['docs/performance.md'])('the sentences of %s', (name) => {
  it('contain figures that are printed as targets', () => {
    const sentences = sectionOf(name)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('|'))
      .join('\n')
    const figures = [...sentences.matchAll(/[\d.]+ ×/g)].map(([figure]) => figure)
    const measured = results.targets.map((target) => target.measured).join(' ')
    expect(figures.length).toBeGreaterThanOrEqual(3)
    for (const figure of figures) expect(measured).toContain(figure)
  })
})

describe('the bytes of sessions', () => {
  const measured = WINDOWS.map(measure)

  it.each(['docs/sessions.md'])('in %s are those of bench/sessions.mjs', (name) => {
    const sentence = read(name).split('<!-- sessions -->')[1]?.split('\n')[0] ?? ''
    const [least, , most] = measured
    expect(sentence.match(/[\d.]+ ×/g)).toEqual([least?.ratio, most?.ratio])
    for (const window of [least?.window, most?.window]) expect(sentence).toMatch(new RegExp(`\\b${window}\\b`))
  })

  it('in bench/README.md are those of bench/sessions.mjs', () => {
    const count = (bytes: number): string => `${bytes.toLocaleString('en')} bytes`
    for (const { window, whole, delta, ratio } of measured) {
      expect(read('bench/README.md')).toContain(`| ${window} messages | ${count(whole)} | ${count(delta)} | ${ratio} |`)
    }
  })
})
