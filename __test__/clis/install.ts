/** The CLIs from npm, each in a folder of a cache outside the repository. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../support/cache.js'
import type { Cli } from './catalog.js'

const run = promisify(execFile)

const CACHE = cacheFolder('clis')

/** The newest version on npm. */
export const latestOf = async (cli: Cli): Promise<string> => {
  const { stdout } = await run('npm', ['view', cli.package, 'version'])
  return stdout.trim()
}

/** The folder with the program of a CLI, which is installed if it is not there yet. */
export const installed = async (
  cli: Pick<Cli, 'package' | 'command' | 'packages'>,
  version: string,
): Promise<string> => {
  const folder = join(CACHE, `${cli.command}-${version}`)
  const programs = join(folder, 'node_modules', '.bin')
  if (!existsSync(join(folder, 'installed'))) {
    console.error(`installing ${cli.package}@${version} into ${folder}`)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), '{ "private": true }')
    await run('npm', ['install', '--no-audit', '--no-fund', `${cli.package}@${version}`, ...(cli.packages ?? [])], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    })
    await writeFile(join(folder, 'installed'), version)
  }
  return programs
}

/** The CLIs that could be installed, by command: their versions and programs. */
export type Programs = Record<string, { version: string; programs: string }>

/** Installs CLIs one after another, and says which of them cannot be. */
export const installAll = async (
  clis: readonly Cli[],
  install: (cli: Cli) => Promise<Programs[string]>,
  say: (line: string) => void,
): Promise<Programs> => {
  const found: Programs = {}
  for (const cli of clis) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- npm does not like company
      found[cli.command] = await install(cli)
    } catch (error) {
      const [problem] = String(error instanceof Error ? error.message : error).split('\n')
      say(`NOT CHECKED: ${cli.command}, because ${cli.package} cannot be installed: ${problem}`)
    }
  }
  if (clis.length > 0 && Object.keys(found).length === 0) throw new Error('no CLI could be installed')
  return found
}
