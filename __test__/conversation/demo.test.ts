/** `npm run demo` */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { documentText, root } from '../support/documents.js'

it('shows a team with a failed delivery, a crash, a restart, a private message and another agent', async () => {
  expect(JSON.parse(documentText('package.json')).scripts.demo).toBe('tsx examples/team.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'examples/team.ts'], {
    cwd: root,
    env: { ...process.env, DEBUG: undefined },
  })
  for (const text of [
    'sarah: This is claude. I see 0 earlier messages.',
    "Max's next prompt contains it: false",
    'max failed: other, delivered: no',
    process.platform === 'win32' ? '(ended by ' : '(ended by SIGKILL)',
    'sarah may have seen the prompt: its session is not resumed.',
    '8 messages; the latest: Who writes the tests?',
    'msg-11 sarah: This is codex.',
  ])
    expect(stdout).toContain(text)
  expect(stdout.match(/^msg-/gm)).toHaveLength(11)
})
