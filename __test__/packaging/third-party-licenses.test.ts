/** The licences that go with the binary are those of what is linked into it, according to the lock file. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentText, root } from '../support/documents.js'

const licenses = documentText('THIRD-PARTY-LICENSES')
const [lists = '', ...texts] = licenses.split(/^-{80}$/m)

/** The indented lines after a title. */
const listAfter = (title: string): string[] => {
  const list = new RegExp(`^${title}[^\\n]*:\\n\\n((?: {2}.+\\n)+)`, 'm').exec(lists)?.[1] ?? ''
  return [...list.matchAll(/^ {2}(.+)$/gm)].map(([, line = '']) => line)
}

const linked = listAfter('Crates that are linked')
const onlyForBuilding = listAfter('Crates that only take part in building')
const inLibrary = listAfter('The Rust standard library')
const RUN = 'Run: node scripts/third-party-licenses.mjs'

describe('the licences of what is linked', () => {
  it('match the crates in Cargo.lock', () => {
    const locked = [...documentText('Cargo.lock').matchAll(/^name = "(.+)"\nversion = "(.+)"$/gm)]
      .filter(([, name]) => name !== 'promptmason')
      .map(([, name, version]) => `${name} ${version}`)
    expect(locked.length).toBeGreaterThan(20)
    expect([...linked, ...onlyForBuilding].toSorted(), RUN).toEqual(locked.toSorted())
  })

  it('cover the crates that the addon depends on', () => {
    const [, dependencies = ''] = /^\[dependencies\]\n([^]+?)\n\[/m.exec(documentText('Cargo.toml')) ?? []
    const names = [...dependencies.matchAll(/^([\w-]+) = /gm)].map(([, name = '']) => name)
    const macros = ['napi-derive']
    const listed = new Set(linked.map((crate) => crate.split(' ')[0]))
    expect(
      names.filter((name) => !listed.has(name)),
      RUN,
    ).toEqual(macros)
  })

  it('cover the standard library of the release toolchain', () => {
    const [, rust] = /^ {2}RUST: (\S+)$/m.exec(documentText('.github/workflows/release.yml')) ?? []
    expect(lists, RUN).toContain(`The Rust standard library ${rust}, with:`)
  })

  it('name everything that is listed', () => {
    const named = texts.flatMap((text) =>
      [...text.matchAll(/^ {2}(\S.*?):?$/gm)].flatMap(([, names = '']) => names.split(', ')),
    )
    const expected = [
      ...linked.map((crate) => crate.split(' ')[0]),
      ...inLibrary.map((name) => `${name} (in the standard library)`),
    ]
    expect(expected.filter((name) => !named.includes(name ?? ''))).toEqual([])
    expect(named).toContain('the Rust standard library')
    for (const terms of ['Permission is hereby granted', 'Permission to use, copy', 'UNICODE LICENSE V3'])
      expect(texts.join('')).toContain(terms)
  })

  it('are in every package with a binary', () => {
    for (const folder of readdirSync(join(root, 'npm')))
      expect(documentText(join('npm', folder, 'THIRD-PARTY-LICENSES'))).toBe(licenses)
  })
})
