import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { makeLink, removeWithLinks } from './links.js'

const variables = ['HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']

/** A directory for one test, with a home directory beside it and without proxies. */
export class Project {
  readonly root: string
  readonly home: string

  constructor() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'promptmason-')))
    this.root = join(folder, 'project')
    this.home = join(folder, 'home')
    mkdirSync(this.root)
    mkdirSync(this.home)
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts)
  }

  /** Writes a file, and returns its path. */
  write(path: string, contents: string | Uint8Array = ''): string {
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, contents)
    return file
  }

  /** The same in the user's home directory. */
  writeHome(path: string, contents = ''): string {
    return this.write(join('..', 'home', path), contents)
  }

  directory(path: string): string {
    mkdirSync(join(this.root, path), { recursive: true })
    return join(this.root, path)
  }

  link(path: string, target: string): string {
    makeLink(target, join(this.root, path))
    return join(this.root, path)
  }

  git(path = '.'): void {
    this.directory(join(path, '.git'))
  }

  remove(): void {
    removeWithLinks(dirname(this.root))
  }
}

/** A fresh project for every test of the file. */
export function useProject(): { readonly current: Project } {
  const holder: { current: Project } = { current: undefined as never }
  let saved: Record<string, string | undefined>
  beforeEach(() => {
    const names = variables.flatMap((name) => [name, name.toLowerCase()])
    saved = Object.fromEntries(names.map((name) => [name, process.env[name]]))
    for (const name of names) delete process.env[name]
    holder.current = new Project()
    process.env.HOME = holder.current.home
    process.env.USERPROFILE = holder.current.home
  })
  afterEach(() => {
    for (const [name, value] of Object.entries(saved)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    holder.current.remove()
  })
  return holder
}
