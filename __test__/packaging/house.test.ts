import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

const rustFiles = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.rs'))
  .map((path) => ({ path, text: readFileSync(join(root, 'src', path), 'utf8') }))

const sources = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, lines: readFileSync(join(root, 'lib', path), 'utf8').split('\n') }))

/** The lines of code in lib/ that match, with the comment before each. */
const linesWith = (pattern: RegExp) =>
  sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => {
      const code = line.replace(/\/\/.*|^\s*(\*|\/\*).*/, '').replaceAll(/'[^']*'|`[^`]*`/g, '')
      const isExplained = /\/\//.test(line) || /^\s*(\/\/|\*|\/\*)/.test(lines[index - 1] ?? '')
      return pattern.test(code) ? [{ place: `${path}:${index + 1}`, isExplained }] : []
    }),
  )

describe('the types of lib/', () => {
  it('are any in few places, and a comment says why', () => {
    const found = linesWith(/(?:[:<(,|]|\bas|=>?|extends)\s*any\b|\bany\[\]/)
    expect(found.filter(({ isExplained }) => !isExplained)).toEqual([])
    expect(found.length).toBeLessThanOrEqual(20)
  })

  it('are never forced through unknown, and no error is ignored', () => {
    expect(linesWith(/\bas unknown as\b|@ts-(?:ignore|expect-error|nocheck)/)).toEqual([])
  })
})

describe('require', () => {
  it('loads what assembles prompts, and nothing that is used later', () => {
    const program = `require('./index.js')
      const files = Object.keys(require.cache).filter((file) => !file.includes('node_modules'))
      console.log(JSON.stringify(files.map((file) => require('node:path').relative(process.cwd(), file))))`
    const files: string[] = JSON.parse(execFileSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8' }))
    expect(files.length).toBeLessThanOrEqual(40)
    const later =
      /[\\/](delivery|conversation|transcripts|handoff|lists|instructions|system-prompt|explain|play|command)[\\/]/
    expect(files.filter((file) => later.test(file))).toEqual([])
  })
})

describe('the code base', () => {
  it('has files to check', () => {
    expect(rustFiles.length).toBeGreaterThan(10)
  })

  it('keeps napi inside src/binding', () => {
    const outside = rustFiles.filter(({ path }) => !path.startsWith('binding'))
    expect(outside.filter(({ text }) => /\bnapi(_derive)?::|use napi/.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('has modules that depend on each other in one direction only', () => {
    const moduleOf = (path: string) => (path.split(/[\\/]/)[0] ?? '').replace(/\.rs$/, '')
    const uses = new Map<string, Set<string>>()
    for (const { path, text } of rustFiles.filter((file) => !/tests?[\\/.]/.test(file.path))) {
      const code = (text.split('#[cfg(test)]')[0] ?? '').replaceAll(/\/\/.*/g, '')
      const used = [...code.matchAll(/\bcrate::(\w+|\{[^}]*\})/g)].flatMap(
        ([, names = '']) => names.match(/\w+/g) ?? [],
      )
      const known = uses.get(moduleOf(path)) ?? new Set()
      uses.set(moduleOf(path), new Set([...known, ...used.filter((name) => name !== moduleOf(path))]))
    }
    const reachable = (from: string, seen = new Set<string>()): Set<string> => {
      for (const next of uses.get(from) ?? []) {
        if (!seen.has(next)) reachable(next, seen.add(next))
      }
      return seen
    }
    expect(uses.size).toBeGreaterThan(15)
    expect([...uses.keys()].filter((name) => reachable(name).has(name))).toEqual([])
  })

  it('keeps system calls out of src/binding', () => {
    const inside = rustFiles.filter(({ path }) => path.startsWith('binding'))
    const calls = /\b(libc|std::(fs|os|process))::|extern "system"/
    expect(inside.filter(({ text }) => calls.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('keeps unsafe code in the files that need it', () => {
    const binding = ['memory.rs', 'strings.rs'].map((file) => join('binding', file))
    const system = [join('private_directory', 'windows.rs'), join('processes', '')].map((file) => join('system', file))
    const allowed = [...binding, ...system, join('text', 'transcode', ''), join('instructions', 'disk', '')]
    const outside = rustFiles.filter(({ path }) => !allowed.some((place) => path.startsWith(place)))
    expect(outside.filter(({ text }) => /\bunsafe\s*(\{|fn|impl)/.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('lets no panic of an exported function reach the engine', () => {
    const functions = rustFiles.flatMap(({ path, text }) =>
      [...text.matchAll(/^ *#\[napi(?:\((.*)\))?\]\n(?: *#\[.*\]\n)* *pub fn (\w+)/gm)].map(
        ([, options = '', name]) => ({
          name: `${path}: ${name}`,
          options,
        }),
      ),
    )
    expect(functions.length).toBeGreaterThan(60)
    expect(functions.filter(({ options }) => !options.includes('catch_unwind'))).toEqual([])
  })

  it('keeps every bracketed title in one place', () => {
    const titles = ['[SYSTEM]', '[TEAM_TASK]', '[PARENT_CONTEXT]', '[RELATED_CONTEXT]', '[ROUTING_META]']
    for (const title of titles) {
      const places = rustFiles.filter(({ text }) => text.split('#[cfg(test)]')[0]?.includes(`"${title}"`))
      expect(places.map(({ path }) => path)).toEqual(['layout/part.rs'])
    }
  })
})
