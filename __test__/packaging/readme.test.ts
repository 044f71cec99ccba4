import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linksOf } from '../../scripts/package/links.mjs'
import { standInPath } from '../support/stand-ins.js'
import { documentText, examplesOf, root } from '../support/documents.js'
import { isNode } from '../support/runtime.js'

const run = promisify(execFile)
/** Bun and Deno print objects in another way. */
const PRINT_AS_NODE = isNode ? '' : `import '${join(root, '__test__', 'support', 'print-as-node.mjs')}'\n`

// Every guide is run, except those for bundlers and the command, which have tests of their own.
const WITHOUT_EXAMPLES = new Set(['README.md', 'bundlers.md', 'command.md', 'reference.md'])
const GUIDES = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && !WITHOUT_EXAMPLES.has(name))
const TRANSLATED = readdirSync(join(root, 'docs', 'zh-CN'))
const DOCUMENTS = [
  'README.md',
  'README.zh-CN.md',
  ...GUIDES.map((name) => `docs/${name}`),
  ...TRANSLATED.map((name) => `docs/zh-CN/${name}`),
]
const READMES = DOCUMENTS.slice(0, 2)
const isWindows = process.platform === 'win32'

// Inside the package, so that the examples import it by its name as a user does.
let folder: string
beforeAll(async () => {
  await mkdir(join(root, 'target'), { recursive: true })
  folder = await mkdtemp(join(root, 'target', 'readme-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe.each(DOCUMENTS)('%s', (path) => {
  const examples = examplesOf(path)

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(0)
  })

  // The translations show the same, see below.
  it.concurrent.each(/zh-CN/.test(path) || (path === READMES[0] && isWindows) ? [] : examples)(
    '$name runs and prints what it says',
    async ({ name, code, output }) => {
      const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.mjs`)
      const compiled = await transform(PRINT_AS_NODE + code, { loader: 'ts', target: 'node20' })
      await writeFile(file, compiled.code)
      // The READMEs run CLIs, and write to the working directory.
      const isReadme = READMES.includes(path)
      const options = isReadme ? { cwd: folder, env: { ...process.env, PATH: standInPath(folder) } } : { cwd: root }
      const { stdout } = await run(process.execPath, [file], options)
      if (output !== undefined) expect(stdout).toBe(output)
    },
  )
})

describe('the READMEs', () => {
  it.each(READMES)('%s names the commands to install and to test this project', (path) => {
    expect(documentText(path)).toContain('`npm ci && npm run demo`')
    expect(documentText(path)).toContain('`npm cit`')
  })

  it('link to a page that lists every error code', () => {
    const declared = documentText('lib/errors.ts').matchAll(/code: '(ERR_\w+)'/g)
    for (const [, code] of [...declared, ['', 'ERR_INTERNAL']])
      expect(documentText('docs/errors.md')).toContain(`\`${code}\``)
  })

  it.each(READMES)('%s links to every guide', (path) => {
    const linked = new Set(linksOf(documentText(path)).map(({ target }) => target))
    expect(GUIDES.filter((name) => !linked.has(`docs/${name}`))).toEqual([])
  })

  it.each(READMES)('%s has at most 1,400 words', (path) => {
    // A Chinese word has about two characters.
    const text = documentText(path)
    const chinese = text.match(/\p{Script=Han}/gu)?.length ?? 0
    const others = text.replaceAll(/\p{Script=Han}/gu, ' ').match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0
    expect(others + Math.ceil(chinese / 2)).toBeLessThanOrEqual(1400)
  })

  it.each(TRANSLATED)('%s is linked from the Chinese README, and the two languages from each other', (name) => {
    const linksIn = (path: string) => linksOf(documentText(path)).map(({ target }) => target)
    expect(linksIn('README.zh-CN.md')).toContain(`docs/zh-CN/${name}`)
    expect(linksIn(`docs/${name}`)).toContain(`zh-CN/${name}`)
    expect(linksIn(`docs/zh-CN/${name}`)).toContain(`../${name}`)
  })

  it.each(TRANSLATED)('%s shows the same in both languages', (name) => {
    const [english, chinese] = [`docs/${name}`, `docs/zh-CN/${name}`].map((path) => {
      const withoutComments = (code: string) => code.replaceAll(/\/\*\*.*?\*\/|\/\/ .*/g, '')
      const examples = examplesOf(path).map(({ code, output }) => ({ code: withoutComments(code), output }))
      return { examples, headings: documentText(path).match(/^##+ /gm) }
    })
    expect(chinese).toEqual(english)
  })

  it('show the same', () => {
    const [english, chinese] = READMES.map((path) => examplesOf(path).map(({ code, output }) => ({ code, output })))
    expect(chinese).toEqual(english)
    const [headings, translated] = READMES.map((path) => documentText(path).match(/^##+ /gm))
    expect(translated).toEqual(headings)
  })

  it('shows a demo of all four agents, with room and over budget', async () => {
    const { stdout } = await run(process.execPath, ['--import', 'tsx', 'examples/coordinator.ts'], { cwd: root })
    for (const agent of ['claude-code', 'openai-codex', 'google-gemini', 'unknown']) {
      expect(stdout).toContain(`${agent}, with room`)
      expect(stdout).toContain(`${agent}, over budget`)
    }
    expect(stdout).toMatch(/\[CONTEXT\] trimmed to \d of 3 messages/)
  })

  it('runs the whole loop with deltas, with stand-ins for CLIs that are not installed', async () => {
    const args = ['--import', 'tsx', 'examples/coordinator.ts', '--real', 'claude,codex,gemini']
    const { stdout } = await run(process.execPath, args, { cwd: root, env: { ...process.env, PATH: '' } })
    expect(stdout).toBe(`kailai: Where should the session tokens live? Please agree on one place.
claude: This is claude. I see 0 earlier messages.
codex: This is codex. I see 1 earlier message.
gemini: This is gemini. I see 2 earlier messages.
claude: This is claude. I see 1 earlier message in this session.
codex: This is codex. I see 1 earlier message in this session.
gemini: This is gemini. I see 1 earlier message in this session.
`)
  })
})
