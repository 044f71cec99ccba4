/** Claims about platforms and runtimes are the same everywhere, and match the workflows. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { problemsOf } from '../../scripts/check-binary.mjs'
import { RUNTIMES } from '../runtimes/install.js'
import { documentText, root } from '../support/documents.js'

const ci = documentText('.github/workflows/ci.yml')
const release = documentText('.github/workflows/release.yml')

/** The text of a job. */
const jobOf = (workflow: string, name: string): string =>
  workflow
    .split('\njobs:\n')[1]
    ?.split(/\n(?= {2}[\w-]+:\n)/)
    .find((job) => job.trimStart().startsWith(`${name}:\n`)) ?? ''
const jobNames = (workflow: string): string[] =>
  [...(workflow.split('\njobs:\n')[1] ?? '').matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name ?? '')
const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found ?? '').toSorted()

/** `x86_64-unknown-linux-gnu` is the package `linux-x64-gnu`. */
const packageOf = (target: string): string => {
  const [cpu, , ...system] = target.split('-')
  const arch = cpu === 'aarch64' ? 'arm64' : 'x64'
  return (
    {
      darwin: `darwin-${arch}`,
      'windows-msvc': `win32-${arch}-msvc`,
      'linux-gnu': `linux-${arch}-gnu`,
      'linux-musl': `linux-${arch}-musl`,
    }[system.join('-')] ?? target
  )
}

const TARGETS: string[] = JSON.parse(documentText('package.json')).napi.targets.toSorted()
const PACKAGES = TARGETS.map(packageOf).toSorted()
const NODES = RUNTIMES.filter(({ name }) => name === 'node').map(({ range }) => range)

describe('the platforms', () => {
  it('are eight', () => {
    expect(new Set(PACKAGES).size).toBe(8)
  })

  it('have a package each', () => {
    expect(readdirSync(join(root, 'npm')).toSorted()).toEqual(PACKAGES)
    for (const name of PACKAGES) {
      const { os, cpu, libc } = JSON.parse(documentText(`npm/${name}/package.json`))
      const [system, arch, abi] = name.split('-')
      expect({ os, cpu, libc }).toEqual({
        os: [system],
        cpu: [arch],
        libc: system === 'linux' ? [abi === 'gnu' ? 'glibc' : abi] : undefined,
      })
    }
  })

  it('are built by the release, and each is tested on a machine of its kind', () => {
    expect(all(jobOf(release, 'build'), /^ +- \{ target: ([\w-]+), os: /gm)).toEqual(TARGETS)
    const test = jobOf(release, 'test')
    expect(all(test, /^ +- ([\w-]+)$/gm)).toEqual(TARGETS)
    expect(all(test, /^ +- \{ target: ([\w-]+), os: /gm)).toEqual(TARGETS)
    const kinds = [
      [/^x86_64-unknown-linux/, /^ubuntu-[\d.]+$/],
      [/^aarch64-unknown-linux/, /^ubuntu-[\d.]+-arm$/],
      [/^x86_64-apple/, /^macos-\d+-intel$/],
      [/^aarch64-apple/, /^macos-\d+$/],
      [/^x86_64-pc/, /^windows-\d{4}$/],
      [/^aarch64-pc/, /^windows-\d+-arm$/],
    ] as const
    for (const [, target, os, rest] of test.matchAll(/- \{ target: ([\w-]+), os: ([\w.-]+)(.*) \}/g)) {
      expect(os).toMatch(kinds.find(([pattern]) => pattern.test(target ?? ''))?.[1] ?? /nothing/)
      expect(rest?.includes('alpine: true')).toBe(target?.endsWith('-musl'))
    }
  })

  it('match the targets of the licence check', () => {
    expect(all(documentText('deny.toml'), /^ {4}"([\w-]+)",$/gm)).toEqual(TARGETS)
  })

  it('match the table of docs/platforms.md', () => {
    expect(all(documentText('docs/platforms.md'), /^\| `((?:linux|darwin|win32)-[\w-]+)` \|/gm)).toEqual(PACKAGES)
  })
})

describe('the versions of Node', () => {
  const matrix = JSON.stringify(NODES.map(Number)).replaceAll(',', ', ')

  it('are the same in both workflows, and start with that of package.json', () => {
    expect(jobOf(ci, 'check')).toContain(`node: ${matrix}\n`)
    expect(jobOf(release, 'test')).toContain(`node: ${matrix}\n`)
    expect(JSON.parse(documentText('package.json')).engines.node).toBe(`>=${NODES[0]}`)
  })

  it('match the documents', () => {
    expect(documentText('README.md')).toContain(`Node ${NODES.slice(0, -1).join(', ')} and ${NODES.at(-1)}`)
    expect(documentText('README.zh-CN.md')).toContain(`Node ${NODES.slice(0, -1).join('、')} 和 ${NODES.at(-1)}`)
    for (const version of NODES)
      expect(documentText('docs/platforms.md')).toMatch(new RegExp(`^\\| Node ${version}\\.`, 'm'))
  })
})

describe('the workflows', () => {
  it('use actions of GitHub itself, each at one commit, with its version beside it', () => {
    const used = all(ci + release, /uses: (.*)$/gm)
    expect(used.length).toBeGreaterThan(15)
    for (const action of used) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    const names = new Set(used.map((action) => action.split('@')[0]))
    expect(new Set(used).size).toBe(names.size)
  })

  it('have read-only permissions, except to publish and to create the release', () => {
    for (const workflow of [ci, release]) {
      expect(workflow).toContain('\npermissions: {}\n')
      for (const name of jobNames(workflow))
        expect(jobOf(workflow, name)).toContain('\n    permissions:\n      contents: ')
      expect(workflow.match(/persist-credentials: false/g)?.length).toBe(workflow.match(/actions\/checkout@/g)?.length)
      expect(workflow).not.toMatch(/secrets\.|pull_request_target/)
    }
    const writing = [ci, release].flatMap((workflow) =>
      jobNames(workflow).flatMap((name) =>
        all(jobOf(workflow, name), /^ +([\w-]+): write/gm).map((scope) => `${name}: ${scope}`),
      ),
    )
    expect(writing).toEqual(['publish: id-token', 'release: contents'])
  })

  it('are checked by a linter that finds mistakes', { timeout: 60_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'promptmason-workflows-'))
    const mistakes = [
      ['matrix.target }}, Node', 'matrix.tarjet }}, Node'],
      ['needs: publish', 'needs: publisch'],
      ['macos-15-intel', 'macos-99'],
    ] as const
    writeFileSync(
      join(folder, 'release.yml'),
      mistakes.reduce((text, [right, wrong]) => text.replace(right, wrong), release),
    )
    const lint = (...args: string[]) =>
      spawnSync(process.execPath, [join('scripts', 'lint-workflows.mjs'), ...args], { cwd: root, encoding: 'utf8' })
    const { status, stderr } = lint(folder)
    rmSync(folder, { recursive: true })
    expect({
      status,
      found: ['tarjet', 'publisch', 'macos-99'].filter((word) => !stderr.includes(`"${word}"`)),
    }).toEqual({ status: 1, found: [] })
    expect(lint()).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('what a binary needs from the system', () => {
  it.each([
    ['x86_64-unknown-linux-gnu', 'GLIBC_2.2.5\0GLIBC_2.17\0', []],
    ['x86_64-unknown-linux-gnu', 'GLIBC_2.17\0GLIBC_2.9\0GLIBC_2.34\0', ['needs glibc 2.34, newer than 2.17']],
    ['aarch64-unknown-linux-gnu', '', ['names no version of glibc: is it a binary for it?']],
    ['x86_64-unknown-linux-musl', 'libc.so', []],
    ['x86_64-unknown-linux-musl', 'GLIBC_2.17', ['needs glibc']],
    ['x86_64-pc-windows-msvc', 'KERNEL32.dll\0ntdll.dll', []],
    [
      'aarch64-pc-windows-msvc',
      'VCRUNTIME140.dll\0api-ms-win-crt-heap-l1-1-0.dll',
      ['needs VCRUNTIME140.dll', 'needs api-ms-win-crt-heap-l1-1-0.dll'],
    ],
    ['aarch64-apple-darwin', 'libSystem.B.dylib', []],
  ])('%s: %j', (target, names, problems) => {
    expect(problemsOf(target, Buffer.from(`\0${names}\0`))).toEqual(problems)
  })

  it('is found in a real binary', () => {
    const binary = readdirSync(root).find((name) => name.endsWith('-gnu.node'))
    if (binary !== undefined)
      expect(problemsOf('x86_64-unknown-linux-musl', readFileSync(join(root, binary)))).toEqual(['needs glibc'])
  })
})
