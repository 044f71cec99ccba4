/** The `.cmd` files that package managers install on Windows, as they write them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isPromptmasonError } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { resolveShim } from '../../dist/delivery/windows-shims.js'
import { newDirectory } from '../support/processes.js'

const NPM_HEAD =
  '@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n'
const NPM_NODE = `${NPM_HEAD}\r\nIF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n) ELSE (\r\n  SET "_prog=node"\r\n  SET PATHEXT=%PATHEXT:;.JS;=;%\r\n)\r\n\r\n`
const TITLE = 'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & '

/** Each with what it runs, relative to its directory. */
const SHIMS: [name: string, text: string, run: string[]][] = [
  [
    'npm, a script',
    `${NPM_NODE}${TITLE}"%_prog%"  "%dp0%\\node_modules\\@openai\\codex\\bin\\codex.js" %*\r\n`,
    ['NODE', 'node_modules/@openai/codex/bin/codex.js'],
  ],
  [
    'npm, a script with options',
    `${NPM_NODE}${TITLE}"%_prog%" --no-warnings=DEP0040 "%dp0%\\node_modules\\g\\index.js" %*\r\n`,
    ['NODE', '--no-warnings=DEP0040', 'node_modules/g/index.js'],
  ],
  [
    'npm, a program',
    `${NPM_HEAD}"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe"   %*\r\n`,
    ['node_modules/@anthropic-ai/claude-code/bin/claude.exe'],
  ],
  [
    'older npm',
    '@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\node_modules\\a\\cli.js" %*\r\n) ELSE (\r\n  @SETLOCAL\r\n  @SET PATHEXT=%PATHEXT:;.JS;=;%\r\n  node  "%~dp0\\node_modules\\a\\cli.js" %*\r\n)',
    ['NODE', 'node_modules/a/cli.js'],
  ],
  [
    'pnpm',
    '@SETLOCAL\r\n@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\global\\5\\node_modules\\a\\cli.mjs" %*\r\n) ELSE (\r\n  @SET PATHEXT=%PATHEXT:;.JS;=;%\r\n  node  "%~dp0\\global\\5\\node_modules\\a\\cli.mjs" %*\r\n)\r\n',
    ['NODE', 'global/5/node_modules/a/cli.mjs'],
  ],
]

/** Looks for commands in a directory, with the separators of this system. */
const resolve = (directory: string, command: string, env: Record<string, string> = {}) =>
  resolveShim(
    command,
    ['-p', 'a "b" %PATH%'],
    { Path: ['/nowhere', directory].join(path.delimiter), ...env },
    directory,
    path,
  )

describe('a .cmd file', () => {
  it.each(SHIMS)('of %s is replaced by the program that it runs', (_name, text, run) => {
    const directory = newDirectory()
    writeFileSync(path.join(directory, 'cli.cmd'), text)
    const { command, args } = resolve(directory, 'cli')
    const expected = run.map((word) =>
      word === 'NODE' ? process.execPath : word.startsWith('-') ? word : path.join(directory, word),
    )
    expect([command, ...args]).toEqual([...expected, '-p', 'a "b" %PATH%'])
  })

  it('is run by the Node beside it', () => {
    const directory = newDirectory()
    writeFileSync(path.join(directory, 'cli.CMD'), SHIMS[0]?.[1] ?? '')
    writeFileSync(path.join(directory, 'node.exe'), '')
    expect(resolve(directory, 'cli').command).toBe(path.join(directory, 'node.exe'))
    expect(resolve(directory, 'cli.CMD').command).toBe(path.join(directory, 'node.exe'))
  })

  it.each([
    ['another program', '@python "%~dp0\\a.py" %*'],
    ['no arguments', '@node "%~dp0\\a.js"'],
    ['a shell command', '@echo %*'],
    ['another interpreter of scripts', '"%_prog%x"  "%dp0%\\a.js" %*'],
    ['nothing', ''],
  ])('that runs %s is rejected', (_name, text) => {
    const directory = newDirectory()
    writeFileSync(path.join(directory, 'cli.cmd'), text)
    let thrown: unknown
    try {
      resolve(directory, 'cli')
    } catch (error) {
      thrown = error
    }
    expect(isPromptmasonError(thrown, 'ERR_UNDELIVERABLE')).toBe(true)
    expect(thrown).toMatchObject({ name: 'RangeError', cli: 'cli' })
  })
})

describe('a command', () => {
  it('is found in the order of PATHEXT', () => {
    const directory = newDirectory()
    writeFileSync(path.join(directory, 'cli'), 'a script for another shell')
    writeFileSync(path.join(directory, 'cli.cmd'), SHIMS[0]?.[1] ?? '')
    writeFileSync(path.join(directory, 'cli.exe'), '')
    expect(resolve(directory, 'cli').command).toBe(path.join(directory, 'cli.exe'))
    expect(resolve(directory, 'cli', { PathExt: '.cmd;.exe' }).command).toBe(process.execPath)
  })

  it('may be a path', () => {
    const directory = newDirectory()
    mkdirSync(path.join(directory, 'bin'))
    writeFileSync(path.join(directory, 'bin', 'cli.exe'), '')
    expect(resolve(directory, 'bin/cli').command).toBe(path.join(directory, 'bin/cli.exe'))
  })

  it('that does not exist is left to the system', () => {
    expect(resolve(newDirectory(), 'cli')).toEqual({ command: 'cli', args: ['-p', 'a "b" %PATH%'] })
  })
})
