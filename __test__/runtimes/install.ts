/** Node, Bun and Deno from npm, each in a folder of a cache outside the repository. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../support/cache.js'

const CACHE = cacheFolder('runtimes')

export interface Runtime {
  name: 'node' | 'bun' | 'deno'
  /** Which versions of the package: a major version, or `latest`. */
  range: string
}

export const RUNTIMES: readonly Runtime[] = [
  { name: 'node', range: '20' },
  { name: 'node', range: '22' },
  { name: 'node', range: '24' },
  { name: 'node', range: '26' },
  { name: 'bun', range: 'latest' },
  { name: 'deno', range: 'latest' },
]

const isMusl =
  process.platform === 'linux' && !('glibcVersionRuntime' in (process.report.getReport() as { header: object }).header)
const program = (path: string): string => (process.platform === 'win32' ? `${path}.exe` : path)

/** The package with the program for this platform, and where it is in there. Not every package exists. */
const PACKAGES = {
  node: () => [
    `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}${isMusl ? '-musl' : ''}`,
    program('bin/node'),
  ],
  bun: () => {
    const system = process.platform === 'win32' ? 'windows' : process.platform
    return [
      `@oven/bun-${system}-${process.arch === 'arm64' ? 'aarch64' : process.arch}${isMusl ? '-musl' : ''}`,
      program('bin/bun'),
    ]
  },
  deno: () => [
    `@deno/${process.platform}-${process.arch}${process.platform === 'linux' ? `-${isMusl ? 'musl' : 'glibc'}` : ''}`,
    program('deno'),
  ],
} as const

/** npm is a script on Windows, which only a shell starts. Nothing here needs quotes. */
const npm = (args: string[], cwd: string): string =>
  execFileSync('npm', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  })

const byNumber = new Intl.Collator('en', { numeric: true })

/** The newest version of a package in a range, or undefined if npm has none. */
const newestOnNpm = (name: string, range: string): string | undefined => {
  try {
    const found: string | string[] = JSON.parse(npm(['view', `${name}@${range}`, 'version', '--json'], CACHE))
    return [found].flat().toSorted(byNumber.compare).at(-1)
  } catch {
    return undefined
  }
}

/** The newest version of it that was installed before, for a machine without npm's registry. */
const newestInCache = (folderOf: (version: string) => string, { name, range }: Runtime): string | undefined =>
  readdirSync(CACHE)
    .filter((folder) => folder.startsWith(`${name}-`))
    .map((folder) => folder.slice(name.length + 1))
    .filter((version) => existsSync(folderOf(version)) && (range === 'latest' || version.startsWith(`${range}.`)))
    .toSorted(byNumber.compare)
    .at(-1)

export interface Installed {
  version: string
  /** The program, as a path. */
  path: string
}

/** A runtime, which is installed if it is not there yet, or undefined if npm has none for this platform. */
export const installed = (runtime: Runtime): Installed | undefined => {
  mkdirSync(CACHE, { recursive: true })
  const [name, inPackage] = PACKAGES[runtime.name]()
  const pathOf = (version: string): string => join(CACHE, `${runtime.name}-${version}`, inPackage ?? '')
  const version = newestOnNpm(name ?? '', runtime.range) ?? newestInCache(pathOf, runtime)
  if (version === undefined) return undefined
  const path = pathOf(version)
  if (!existsSync(path)) {
    console.error(`installing ${name}@${version} into ${CACHE}`)
    const folder = join(CACHE, `${runtime.name}-${version}`)
    const unfinished = `${folder}.${process.pid}`
    mkdirSync(unfinished, { recursive: true })
    writeFileSync(join(unfinished, 'package.json'), '{ "private": true }')
    const [packed] = JSON.parse(npm(['pack', '--json', `${name}@${version}`], unfinished))
    // `tar` of Windows 10 and later, too.
    execFileSync('tar', ['-xzf', packed.filename, '--strip-components=1'], { cwd: unfinished })
    rmSync(join(unfinished, packed.filename))
    rmSync(folder, { recursive: true, force: true })
    renameSync(unfinished, folder)
  }
  return { version, path }
}
