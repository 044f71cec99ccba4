import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

it('examples/system-prompt.ts goes from a directory to a prompt', async () => {
  const root = join(import.meta.dirname, '..', '..')
  const env = { ...process.env, HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent', NO_PROXY: '*' }
  const { stdout } = await run(process.execPath, ['--import', 'tsx', 'examples/system-prompt.ts'], { cwd: root, env })
  const [files, flag = '', stdin] = stdout.split('\n── ')
  const loaded = files?.replaceAll('\\', '/')
  // The wording depends on the runtime.
  expect(loaded?.replace(/(127\.0\.0\.1:1\/rules\.md) \(the .+\)/, '$1 (…)')).toBe(`loaded: ./AGENTS.md, 66 bytes
loaded: ./docs/tests.md, 32 bytes
failed: ./team-rules.md (there is no such file)
failed: http://127.0.0.1:1/rules.md (…)
`)
  expect(flag).toMatch(/^claude --append-system-prompt\nYou review changes\. .*\nHere is useful information/)
  expect(flag).toMatch(
    / {2}Is directory a git repo: yes\n.*\n.*\n {2}Shell: bash\n<\/env>\nInstructions from: .*AGENTS\.md\n/,
  )
  expect(flag).toMatch(/\nYou are called reviewer\.\n$/)
  expect(stdin).toBe(
    'stdin\n[TEAM_TASK]\nRelease the parser\n\n[CONTEXT]\n- kailai -> all: The parser is done.\n\n[MESSAGE]\nPlease review src/parser.ts.\n',
  )
})
