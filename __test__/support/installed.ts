/**
 * An empty project into which the packed packages are installed, as a user would: offline,
 * without this repository's node_modules, and with nothing on the PATH but node, npm and sh.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { leaveOut } from '../../scripts/package/unneeded.mjs'
import { root } from './documents.js'
import { isSanitized } from './runtime.js'

/** The platform whose package is packed with the binary that was built here. */
export const PLATFORM = 'linux-x64-gnu'

const isGlibc = 'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header

/** Whether this is that platform; elsewhere there is nothing to install. */
export const isPackaged = `${process.platform}-${process.arch}-${isGlibc ? 'gnu' : 'other'}` === PLATFORM

/** What a process needs to run native code under AddressSanitizer, if enabled. */
const SANITIZER = isSanitized
  ? Object.fromEntries(['LD_PRELOAD', 'NODE_OPTIONS', 'ASAN_OPTIONS'].map((name) => [name, process.env[name]]))
  : {}

export interface Packed {
  file: string
  /** Bytes of the tarball. */
  size: number
  paths: string[]
}

export interface PackedPackages {
  main: Packed
  platform: Packed
}

/** `npm pack` of a folder. `prepare` is left out: it would build. */
const pack = (folder: string, destination: string): Packed => {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', destination]
  const [packed] = JSON.parse(
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  const paths = packed.files.map(({ path }: { path: string }) => path)
  return { file: join(destination, packed.filename), size: packed.size, paths: paths.toSorted() }
}

/** Both packages; that of the platform has the binary that was built here, as the release makes it. */
export const packAll = (destination: string): PackedPackages => {
  leaveOut(root)
  const copy = join(destination, PLATFORM)
  cpSync(join(root, 'npm', PLATFORM), copy, { recursive: true })
  const binary = `promptmason.${PLATFORM}.node`
  copyFileSync(join(root, binary), join(copy, binary))
  return { main: pack(root, destination), platform: pack(copy, destination) }
}

export interface Outcome {
  status: number | null
  stdout: string
  stderr: string
}

export class InstalledProject {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'promptmason-installed-')))
  readonly project = join(this.folder, 'project')
  readonly #path = join(this.folder, 'bin')

  constructor() {
    for (const name of ['project', 'bin', 'home']) mkdirSync(join(this.folder, name))
    symlinkSync(process.execPath, join(this.#path, 'node'))
    for (const tool of ['npm', 'sh']) {
      const found = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim()
      symlinkSync(realpathSync(found), join(this.#path, tool))
    }
  }

  /** The PATH of what is run. */
  get path(): string {
    return this.#path
  }

  /** A project with both packages and the types of Node. */
  static complete({ main, platform }: PackedPackages): InstalledProject {
    const user = new InstalledProject()
    user.install(main, platform)
    user.installNodeTypes()
    return user
  }

  /** Runs a command of the PATH, or a file, in the project. */
  run(command: string, args: string[], cwd = this.project, more: Record<string, string> = {}): Outcome {
    const env = {
      ...SANITIZER,
      PATH: this.#path,
      HOME: join(this.folder, 'home'),
      NO_COLOR: '1',
      npm_config_update_notifier: 'false',
      ...more,
    }
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
    return { status, stdout, stderr }
  }

  /** The same, and it must succeed. */
  succeed(command: string, args: string[], cwd?: string): string {
    const { status, stdout, stderr } = this.run(command, args, cwd)
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}\n${stderr}`)
    return stdout
  }

  write(path: string, text: string): string {
    const file = join(this.project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  install(...packed: Packed[]): void {
    this.write('package.json', '{ "name": "empty", "private": true }')
    this.succeed('npm', ['install', '--offline', '--ignore-scripts', ...packed.map(({ file }) => file)])
  }

  /** What a TypeScript project has besides: the types of Node. */
  installNodeTypes(): void {
    for (const name of ['@types/node', 'undici-types']) {
      cpSync(join(root, 'node_modules', name), join(this.project, 'node_modules', name), { recursive: true })
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
