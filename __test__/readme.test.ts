import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
const readme = await readFile(join(root, 'README.md'), 'utf8')

/** Every `ts` block, with the `text` block that follows it as its expected output. */
const examples = [...readme.matchAll(/```ts\n(.*?)```(?:\s*```text\n(.*?)```)?/gs)].map(([, code, output], index) => ({
  name: `example ${index + 1}`,
  code: code ?? '',
  output,
}))

// Inside the package, so that the examples import it by its name as a user does.
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(root, 'target', 'readme-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('README', () => {
  it.each(examples)('$name runs and prints what it says', async ({ name, code, output }) => {
    const file = join(folder, `${name.replace(' ', '-')}.mts`)
    await writeFile(file, code)
    const { stdout } = await run(process.execPath, ['--import', 'tsx', file], { cwd: root })
    if (output !== undefined) expect(stdout).toBe(output)
  })

  it('names the two commands that this project is used and tested with', () => {
    expect(readme).toContain('`npm ci && npm run demo`')
    expect(readme).toContain('`npm cit`')
  })

  it('shows a demo of all four agents, with room and over budget', async () => {
    const { stdout } = await run(process.execPath, ['--import', 'tsx', 'examples/coordinator.ts'], { cwd: root })
    for (const agent of ['claude-code', 'openai-codex', 'google-gemini', 'unknown']) {
      expect(stdout).toContain(`${agent}, with room`)
      expect(stdout).toContain(`${agent}, over budget`)
    }
    expect(stdout).toMatch(/\[CONTEXT\] trimmed to \d of 3 messages/)
  })
})
