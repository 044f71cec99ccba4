/** Deliveries through what npm installs on Windows. `npm run test:windows` runs this under Wine. */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { deliver, planDelivery, type DeliveryPlan, type DeliveryProfile } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { gone, idIn, newDirectory, newFile } from '../support/processes.js'

const PROGRAM = join(import.meta.dirname, '..', 'support', 'fake-cli.cjs')

/** As npm writes it. */
const SHIM = [
  '@ECHO off',
  'GOTO start',
  ':find_dp0',
  'SET dp0=%~dp0',
  'EXIT /b',
  ':start',
  'SETLOCAL',
  'CALL :find_dp0',
  '',
  'IF EXIST "%dp0%\\node.exe" (',
  '  SET "_prog=%dp0%\\node.exe"',
  ') ELSE (',
  '  SET "_prog=node"',
  '  SET PATHEXT=%PATHEXT:;.JS;=;%',
  ')',
  '',
  'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\my-cli\\cli.cjs" %*',
  '',
].join('\r\n')

/** Arguments that a shell or a bad quoting would change. */
const HOSTILE = [
  'a "b" c',
  '"',
  '\\"',
  'ends with \\',
  'ends with space and \\\\ ',
  '%PATH%',
  '^&|<>!',
  "it's",
  'two\nlines\r\nand three',
  'tab\there',
  '你好，世界 👋🏽',
  '-p',
  '/c',
  '*.md',
  '\\\\server\\share',
  '',
]

const install = (): string => {
  const directory = newDirectory()
  const folder = join(directory, 'node_modules', 'my-cli')
  mkdirSync(folder, { recursive: true })
  copyFileSync(PROGRAM, join(folder, 'cli.cjs'))
  writeFileSync(join(directory, 'my-cli.cmd'), SHIM)
  // Beside it, npm installs a script for other shells.
  writeFileSync(join(directory, 'my-cli'), '#!/bin/sh\n')
  return directory
}

const planOf = (args: string[], profile: Partial<DeliveryProfile> = {}, directory = install()): DeliveryPlan =>
  planDelivery(
    { prompt: 'hello\r\n你好' },
    {
      agentType: 'mine',
      profile: {
        command: 'my-cli',
        args,
        output: 'claude',
        // Not in the letter case that the system has.
        env: { pAtH: [directory, process.env['PATH']].join(delimiter) },
        ...profile,
      },
    },
  )

describe.skipIf(process.platform !== 'win32')('a delivery on Windows', () => {
  it('starts the program behind a .cmd file, and changes no argument', async () => {
    const { text } = await deliver(planOf(['args', ...HOSTILE]))
    expect(JSON.parse(text ?? '')).toEqual(HOSTILE)
  })

  it('starts an .exe file, and changes no argument', async () => {
    const { text } = await deliver(planOf([PROGRAM, 'args', ...HOSTILE], { command: process.execPath }))
    expect(JSON.parse(text ?? '')).toEqual(HOSTILE)
  })

  it('refuses a .cmd file that only a shell can run', async () => {
    const directory = newDirectory()
    writeFileSync(join(directory, 'my-cli.cmd'), '@echo %*\r\n')
    await expect(deliver(planOf([], {}, directory))).rejects.toMatchObject({ code: 'ERR_UNDELIVERABLE' })
  })

  it('passes the prompt byte for byte', async () => {
    const { text } = await deliver(planOf(['echo']))
    const hash = createHash('sha256').update('hello\r\n你好').digest('hex')
    expect(JSON.parse(text ?? '').stdin).toEqual({ bytes: 13, hash })
  })

  it('accepts a command line up to the limit of Windows', async () => {
    for (const long of ['x'.repeat(31_000), '中'.repeat(31_000), 'a b '.repeat(7_750)]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { text } = await deliver(planOf(['args', long]))
      expect(JSON.parse(text ?? '')).toEqual([long])
    }
    expect(() => planOf(['args', 'x'.repeat(33_000)])).toThrow(/command line is too long/)
  })

  it('rejects more than that, and accepts the maximum of a plan', async () => {
    const lengths = Array.from({ length: 33_000 - 31_000 }, (_, index) => 31_000 + index)
    const directory = install()
    const isPlanned = (length: number): boolean => {
      try {
        return planOf(['args', 'x'.repeat(length)], {}, directory).args.length > 0
      } catch {
        return false
      }
    }
    const most = lengths.findLast(isPlanned) ?? 0
    expect(most).toBeGreaterThan(31_500)
    expect(isPlanned(most + 1)).toBe(false)
    const { text } = await deliver(planOf(['args', 'x'.repeat(most)], {}, directory))
    expect(JSON.parse(text ?? '')[0]).toHaveLength(most)
  })

  it.each([
    ['by an argument', 'You are Sarah. 你好', 'args'],
    ['by a file, for a shell would change it', 'Say "100 %" & <b>^</b>', 'file'],
    ['by a file, for it has lines', 'one\r\ntwo', 'file'],
    ['by a file, for a shell takes less', 'x'.repeat(8_000), 'file'],
  ])('passes a system text %s', async (_why, systemFlag, mode) => {
    const directory = install()
    const flags = { systemFlag: '--system', systemFileFlag: '--system-file' }
    const profile = { command: 'my-cli', args: [mode], output: 'claude' as const, ...flags }
    const env = { PATH: [directory, process.env['PATH']].join(delimiter) }
    const plan = planDelivery({ prompt: 'x', systemFlag }, { agentType: 'mine', profile: { ...profile, env } })
    const { text } = await deliver(plan)
    const seen = JSON.parse(text ?? '')
    if (mode === 'args') expect(seen).toEqual(['--system', systemFlag])
    else expect(seen.hash).toBe(createHash('sha256').update(systemFlag).digest('hex'))
  })

  it('starts an .exe file behind a .cmd file, as pnpm writes it', async () => {
    const directory = newDirectory()
    copyFileSync(process.execPath, join(directory, 'real.exe'))
    writeFileSync(join(directory, 'my-cli.cmd'), '@SETLOCAL\r\n@"%~dp0\\real.exe" %*\r\n')
    const { text } = await deliver(planOf([PROGRAM, 'args', ...HOSTILE], {}, directory))
    expect(JSON.parse(text ?? '')).toEqual(HOSTILE)
  })

  it('passes a prompt by a file below %TEMP%, and removes it', async () => {
    const temporary = newDirectory()
    const before = process.env['TEMP']
    process.env['TEMP'] = temporary
    try {
      const plan = planDelivery(
        { prompt: 'hello', systemFlag: '你好\r\n' },
        {
          agentType: 'mine',
          profile: { command: process.execPath, args: [PROGRAM, 'file'], systemFileFlag: '--file', output: 'claude' },
        },
      )
      const { text } = await deliver(plan)
      const { path, hash } = JSON.parse(text ?? '')
      expect(path.toLowerCase().startsWith(temporary.toLowerCase())).toBe(true)
      expect(hash).toBe(createHash('sha256').update('你好\r\n').digest('hex'))
      expect(readdirSync(temporary)).toEqual([])
    } finally {
      process.env['TEMP'] = before
    }
  })

  it.each(['stuck', 'family'])(
    'ends a program, on abort and on timeout: %s',
    async (mode) => {
      for (const way of ['abort', 'timeout']) {
        const file = newFile()
        const controller = new AbortController()
        const limit = way === 'abort' ? { signal: controller.signal } : { timeoutMs: 8000 }
        const delivery = deliver(planOf([mode, file]), limit)
        const failed = expect(delivery, way).rejects.toBeInstanceOf(Error)
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const id = await idIn(file)
        if (way === 'abort') controller.abort()
        // oxlint-disable-next-line no-await-in-loop
        await failed
        // oxlint-disable-next-line no-await-in-loop
        await gone(id)
      }
    },
    30_000,
  )
})
