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

  it('takes a command line up to the limit of Windows', async () => {
    for (const long of ['x'.repeat(31_000), '中'.repeat(31_000), 'a b '.repeat(7_750)]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { text } = await deliver(planOf(['args', long]))
      expect(JSON.parse(text ?? '')).toEqual([long])
    }
    expect(() => planOf(['args', 'x'.repeat(33_000)])).toThrow(/command line is too long/)
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
