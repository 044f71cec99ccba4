/** The command, as a process of Windows. `npm run test:windows` runs this under Wine. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../support/documents.js'
import { newDirectory } from '../support/processes.js'

const COMMAND = join(root, 'dist', 'command', 'cli.js')

const run = (args: string[], env: Record<string, string> = {}, input = '') => {
  const { NO_COLOR: _, ...others } = process.env
  const options = { encoding: 'utf8', input, env: { ...others, ...env } } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], options)
  return { status, stdout, stderr }
}

const INPUT = JSON.stringify({ agentType: 'codex', contextMessages: [], message: '你好，世界 👋🏽\r\nhello' })

describe.skipIf(process.platform !== 'win32')('the command on Windows', () => {
  it('prints the prompt byte for byte', () => {
    expect(run(['explain', '--prompt'], {}, INPUT)).toEqual({
      status: 0,
      stdout: '[MESSAGE]\n你好，世界 👋🏽\r\nhello',
      stderr: '',
    })
  })

  it('has no colours where there is no terminal', () => {
    const { status, stdout } = run(['explain'], { TERM: 'xterm-256color' }, INPUT)
    expect(status).toBe(0)
    expect(stdout).not.toContain('\u001b')
  })

  it('has lines of 80 columns where there is no terminal, and the end of a long path', () => {
    const directory = join(newDirectory(), 'a directory with a long name '.repeat(3).trim())
    mkdirSync(join(directory, '.git'), { recursive: true })
    writeFileSync(join(directory, 'AGENTS.md'), 'Be brief.\r\n')
    const { status, stdout } = run(['instructions', directory])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^used +11 {2}….*\\AGENTS\.md$/m)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('accepts files by every kind of path, with a byte order mark and CRLF', () => {
    const file = join(newDirectory(), '提示.json')
    writeFileSync(file, `\uFEFF${JSON.stringify(JSON.parse(INPUT), null, 2).replaceAll('\n', '\r\n')}\r\n`)
    const { stdout } = run(['explain', file, '--prompt'])
    expect(stdout).toContain('你好')
    for (const name of [file.replaceAll('\\', '/'), `\\\\?\\${file}`, file.toUpperCase()])
      expect(run(['explain', name, '--prompt'])).toEqual({ status: 0, stdout, stderr: '' })
  })
})
