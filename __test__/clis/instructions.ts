/**
 * Which instruction files a CLI reads, and in which order: each tree of a table is made, the CLI is
 * started in it, and the request that the stand-in receives shows what has arrived. The preset of
 * this package must say the same.
 */
import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { InstructionPrompt, type InstructionPreset } from 'promptmason'
import type { Rig } from './rig.js'
import { TREES } from './trees/index.js'
import type { Tree } from './trees/tree.js'

const run = promisify(execFile)

const PRESETS: Record<string, InstructionPreset> = {
  'claude-code': 'claude-code',
  'openai-codex': 'codex',
  'google-gemini': 'gemini-cli',
  opencode: 'opencode',
  'qwen-code': 'qwen-code',
  'github-copilot': 'copilot',
}

/** The text that represents a file. No CLI writes it by itself. */
const mark = (path: string): string => `[[pm:${path}]]`

/** The marks in a text, each once, in order. */
const marksIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\[\[pm:([^\][]+)\]\]/g)].map(([, path]) => path ?? '')),
]

const content = (path: string, text: string | true): Buffer =>
  text === true ? Buffer.from(mark(path)) : Buffer.from(text.replaceAll('#', mark(path)), 'latin1')

const write = async (base: string, path: string, text: string | true | { link: string }): Promise<void> => {
  const file = join(base, path)
  await mkdir(dirname(file), { recursive: true })
  if (typeof text === 'object') await symlink(text.link, file)
  else await writeFile(file, content(path, text))
}

/** Makes a tree. Files at `~/` go into the home directory of the CLI. Returns how to remove them. */
const make = async (rig: Rig, tree: Tree): Promise<{ base: string; clean: () => Promise<void> }> => {
  const base = await rig.project()
  const paths = Object.keys(tree.files).filter((path) => path.startsWith('~/'))
  const home = paths.map((path) => join(rig.home, path.slice(2)))
  await Promise.all(
    (tree.git ?? ['repo']).map(async (repository) => {
      await mkdir(join(base, repository), { recursive: true })
      await run('git', ['init', '-q', join(base, repository)])
    }),
  )
  await Promise.all(
    Object.entries(tree.files).map(([path, text]) =>
      path.startsWith('~/') ? writeHome(rig.home, path, text) : write(base, path, text),
    ),
  )
  await mkdir(join(base, tree.cwd), { recursive: true })
  return { base, clean: async () => void (await Promise.all(home.map((file) => rm(file, { force: true })))) }
}

/** Adds to what the settings of the CLI have: a TOML text before it, or keys of a JSON object. */
const added = (before: string, more: string): string =>
  before.startsWith('{') ? JSON.stringify({ ...JSON.parse(before), ...JSON.parse(more) }) : `${more}\n${before}`

const writeHome = async (home: string, path: string, text: string | true | { link: string }): Promise<void> => {
  const file = join(home, path.slice(2))
  await mkdir(dirname(file), { recursive: true })
  if (typeof text === 'string' && text.startsWith('+'))
    return writeFile(file, added(await readFile(file, 'utf8'), text.slice(1)))
  if (typeof text === 'object') await symlink(text.link, file)
  else await writeFile(file, content(path, text))
}

/** What the preset has, with the environment that the CLI has. */
const ours = async (rig: Rig, tree: Tree, directory: string, env: Record<string, string>): Promise<string[]> => {
  const before = { ...process.env }
  for (const name of Object.keys(process.env))
    if (/^(?:XDG_|CLAUDE|CODEX|COPILOT|OPENCODE|GEMINI|QWEN)/.test(name)) delete process.env[name]
  Object.assign(process.env, { HOME: rig.home }, env, tree.env)
  try {
    const preset = PRESETS[rig.cli.agentType]
    if (preset === undefined) throw new Error(`there is no preset for ${rig.cli.agentType}`)
    return marksIn((await InstructionPrompt.system({ preset, directory })).join('\n'))
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

/** What the CLI has sent: the marks of the request that has most of them. */
const theirs = async (rig: Rig, tree: Tree, directory: string): Promise<string[]> => {
  const { requests } = await rig.send('Say nothing.', { cwd: directory, environment: tree.env ?? {} })
  const lists = requests.map(({ body }) => marksIn([...rig.cli.system(body), ...rig.cli.user(body)].join('\n')))
  return lists.toSorted((a, b) => b.length - a.length)[0] ?? ['no request']
}

const shown = (marks: readonly string[]): string => marks.map((each) => `\`${each}\``).join(', ') || 'nothing'

/** The trees of one CLI as lines of a table. Returns how many have changed. */
/* oxlint-disable no-await-in-loop -- they share a home directory */
export const checkInstructions = async (rig: Rig): Promise<number> => {
  const trees = TREES[PRESETS[rig.cli.agentType] ?? ''] ?? []
  if (trees.length === 0) return 0
  let changed = 0
  console.log(
    `\n### Instruction files of ${rig.cli.command} ${rig.version}\n\n| tree | arrived, in order | |\n| --- | --- | --- |`,
  )
  const own = await rig.cli.prepare(rig.home, rig.standIn.url, false)
  for (const tree of trees) {
    const { base, clean } = await make(rig, tree)
    const directory = join(base, tree.cwd)
    try {
      const measured = shown(await theirs(rig, tree, directory))
      const recorded = shown(await ours(rig, tree, directory, own))
      const expected = tree.tool === undefined ? recorded : shown(tree.tool.arrives)
      const purpose = tree.tool === undefined ? '' : `; the preset has ${recorded}, because ${tree.tool.because}`
      const isSame = measured === expected
      if (!isSame) changed++
      console.log(
        `| ${tree.name} | ${measured} | ${isSame ? `as recorded${purpose}` : `has changed, was: ${expected}`} |`,
      )
    } finally {
      await clean()
      await rig.cli.prepare(rig.home, rig.standIn.url, false)
    }
  }
  return changed
}
