/** Who may read what a delivery writes, on Windows. `npm run test:windows` runs this under Wine. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { planDelivery, writeDelivery } from 'promptmason'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newDirectory } from '../support/processes.js'
import { isWine, outside, runOutside } from '../support/wine.js'

const self = (): string => execFileSync('whoami', { encoding: 'utf8' }).trim().toLowerCase()

/** Who has access to a file or directory. */
const ownersOf = (path: string): string[] => {
  if (isWine) {
    // Wine has no program that tells, but gives directories a mode by their access list: the last digit
    // is what everybody may do.
    const mode = runOutside('/usr/bin/stat', '-c', '%a', outside(path)).trim()
    return mode.endsWith('0') ? [self()] : [self(), 'others']
  }
  // `C:\the\path DOMAIN\user:(OI)(CI)(F)`, more lines for others, and an empty line.
  const [list = ''] = execFileSync('icacls', [path], { encoding: 'utf8' })
    .replace(path, '')
    .split(/\r?\n\r?\n/)
  return [...list.matchAll(/^\s*(.+?):\(/gm)].map(([, name = '']) => name.toLowerCase())
}

describe.skipIf(process.platform !== 'win32')('files of a delivery on Windows', () => {
  const before = process.env['TEMP']
  beforeEach(() => {
    process.env['TEMP'] = newDirectory()
  })
  afterEach(() => {
    process.env['TEMP'] = before
  })

  it('are readable only by the user, whatever the permissions of %TEMP%', async () => {
    const temporary = process.env['TEMP'] ?? ''
    const other = join(temporary, 'other')
    mkdirSync(other)
    expect(ownersOf(other).length).toBeGreaterThan(1)
    const plan = planDelivery(
      { prompt: 'x', systemFlag: 'S' },
      { agentType: 'mine', profile: { command: 'mine', systemFileFlag: '--file' } },
    )
    const { args, cleanup } = await writeDelivery(plan)
    const file = args.at(-1) ?? ''
    expect(dirname(dirname(file)).toLowerCase()).toBe(temporary.toLowerCase())
    expect(ownersOf(dirname(file))).toEqual([self()])
    // Under Wine, files have rights of their own, but nobody else gets to them.
    if (!isWine) expect(ownersOf(file)).toEqual([self()])
    await cleanup()
  })
})
