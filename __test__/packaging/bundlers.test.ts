/** docs/bundlers.md: each line is run, and what it says fails does fail. */
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentText, root } from '../support/documents.js'
import { InstalledProject, isPackaged } from '../support/installed.js'
import { packages } from '../support/packages.js'

const page = documentText('docs/bundlers.md')
const blocks = [...page.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language, code]) => ({
  language,
  code: (code ?? '').trim(),
}))
const [external, copied] = blocks
  .filter(({ language }) => language === 'sh')
  .map(({ code }) => code.split(' ').slice(1))
const [webpackConfig, viteConfig] = blocks.filter(({ language }) => language === 'js').map(({ code }) => code)

const tool = (...path: string[]): string => join(root, 'node_modules', ...path)
const ESBUILD = tool('esbuild', 'bin', 'esbuild')
const PRINTED = '[MESSAGE]\nhi\n'

describe.skipIf(!isPackaged)('bundlers', { timeout: 120_000 }, () => {
  let user: InstalledProject
  beforeAll(() => {
    user = InstalledProject.complete(packages())
    user.write(
      'app.mjs',
      `import { buildPrompt } from 'promptmason'
      console.log(buildPrompt({ agentType: 'codex', contextMessages: [], message: 'hi' }).prompt)`,
    )
  }, 120_000)
  afterAll(() => user.remove())

  it('tests the lines of the table', () => {
    const lines = [...page.matchAll(/^\| (?:esbuild|webpack|Vite).*\| `(.*?)`/gm)].map(([, line]) => line ?? '')
    expect(lines).toHaveLength(3)
    const examples = blocks.map(({ code }) => code).join('\n')
    expect(examples).toContain(lines[0])
    expect(examples).toContain(lines[1])
    expect(examples).toContain("external: ['promptmason']")
  })

  it('esbuild marks it as external', () => {
    user.succeed('node', [ESBUILD, ...(external ?? [])])
    expect(user.succeed('node', ['app.cjs'])).toBe(PRINTED)
    user.succeed('node', [ESBUILD, ...(external ?? []).slice(0, -1), '--format=esm', '--outfile=app.bundle.mjs'])
    expect(user.succeed('node', ['app.bundle.mjs'])).toBe(PRINTED)
  })

  it('esbuild copies the binary', () => {
    user.succeed('node', [ESBUILD, ...(copied ?? [])])
    const alone = join(user.folder, 'alone')
    mkdirSync(alone)
    cpSync(join(user.project, 'alone'), alone, { recursive: true })
    expect(readdirSync(alone)).toHaveLength(2)
    expect(user.succeed('node', [join(alone, 'app.cjs')], alone)).toBe(PRINTED)
  })

  it('esbuild needs one of the two', () => {
    const { status, stderr } = user.run('node', [
      ESBUILD,
      'app.mjs',
      '--bundle',
      '--platform=node',
      '--outfile=none.cjs',
    ])
    expect(status).not.toBe(0)
    expect(stderr).toContain('No loader is configured for ".node" files')
  })

  /** Runs webpack with a configuration, and prints how many errors there were. */
  const webpack = (config: string): string => {
    user.write('webpack.config.cjs', config)
    user.write(
      'webpack.cjs',
      `const webpack = require(${JSON.stringify(tool('webpack'))})
      webpack({ context: __dirname, ...require('./webpack.config.cjs') }, (error, stats) => console.log(error ?? stats.compilation.errors.length))`,
    )
    return user.succeed('node', ['webpack.cjs'])
  }

  it('webpack marks it as external', () => {
    expect(webpack(webpackConfig ?? '')).toBe('0\n')
    expect(user.succeed('node', [join('dist', 'main.js')])).toBe(PRINTED)
  })

  it('webpack needs the line', () => {
    expect(Number(webpack((webpackConfig ?? '').replace(/, externals: \{.*?\}/, '')))).toBeGreaterThan(0)
  })

  /** Vite's SSR build with a configuration. */
  const vite = (name: string, config: string) => {
    const file = user.write(`${name}.config.mjs`, config)
    return user.run('node', [tool('vite', 'bin', 'vite.js'), 'build', '--config', file, '--outDir', name])
  }

  it.each([
    ['as it is', 'plain', (config: string) => config.replace(/, ssr: \{.*?\}/, '')],
    ['with the line', 'external', (config: string) => config],
  ])('vite marks it as external, %s', (_, name, change) => {
    expect(vite(name, change(viteConfig ?? ''))).toMatchObject({ status: 0 })
    expect(user.succeed('node', [join(name, 'app.mjs')])).toBe(PRINTED)
  })

  it('vite needs the line to bundle everything', () => {
    expect(vite('everything', (viteConfig ?? '').replace(", external: ['promptmason']", '')).status).not.toBe(0)
  })
})
