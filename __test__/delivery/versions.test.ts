/** Asking a program for its version: as patient as the caller, and nothing is left of it. */
import { execPath } from 'node:process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cliVersion } from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { gone, idIn, isAlive, newDirectory, newFile } from '../support/processes.js'

vi.setConfig({ testTimeout: 60_000 })

/** A program that ignores SIGTERM and never answers. */
const stubborn = (file: string) => ({
  command: execPath,
  versionArgs: [
    '-e',
    `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); require('node:fs').appendFileSync(${JSON.stringify(file)}, String(process.pid))`,
  ],
})

describe('cliVersion', () => {
  it('ends a program that does not answer in time', async () => {
    const file = newFile()
    const work = cliVersion('mine', { ...stubborn(file), timeoutMs: 1500 })
    await expect(work).rejects.toMatchObject({ code: 'ERR_NO_ANSWER', timedOut: true, delivered: 'no' })
    await gone(await idIn(file))
  })

  it('ends it when nobody waits any more', async () => {
    const file = newFile()
    const controls = [new AbortController(), new AbortController()]
    const work = controls.map(({ signal }) => cliVersion('mine', { ...stubborn(file), signal }).catch((error) => error))
    const pid = await idIn(file)
    controls[0]?.abort()
    expect(await work[0]).toBe(controls[0]?.signal.reason)
    expect(isAlive(pid)).toBe(true)
    controls[1]?.abort()
    expect(await work[1]).toBe(controls[1]?.signal.reason)
    await gone(pid)
    // It was asked once.
    expect(readFileSync(file, 'utf8')).toBe(String(pid))
    await expect(cliVersion('mine', { ...stubborn(file), signal: AbortSignal.abort() })).rejects.toHaveProperty('name')
  })

  it.skipIf(process.platform === 'win32')('asks the program that the PATH of the caller leads to', async () => {
    const program = (version: string): string => {
      const folder = newDirectory()
      writeFileSync(join(folder, 'my-cli'), `#!/bin/sh\necho ${version}\n`)
      chmodSync(join(folder, 'my-cli'), 0o755)
      return folder
    }
    const paths = [program('1.2.3'), program('4.5.6')].map((folder) => `${folder}${delimiter}${process.env['PATH']}`)
    const versions = await Promise.all(paths.map((PATH) => cliVersion('my-cli', { env: { PATH } })))
    expect(versions).toEqual(['1.2.3', '4.5.6'])
  })

  it('reports what a program says that fails', async () => {
    const versionArgs = ['-e', 'console.error("no such option"); process.exit(2)']
    await expect(cliVersion('mine', { command: execPath, versionArgs })).rejects.toMatchObject({
      code: 'ERR_CLI_FAILED',
      message: expect.stringContaining('no such option'),
    })
  })
})
