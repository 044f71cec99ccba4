/** What `npm run test:clis` does if a CLI cannot be installed. */
import { expect, it } from 'vitest'
import { CLIS } from './catalog.js'
import { installAll } from './install.js'

it('names a CLI that cannot be installed, and goes on with the others', async () => {
  const said: string[] = []
  const found = await installAll(
    CLIS,
    async ({ command }) => {
      if (command === 'pi') throw new Error('npm install failed\nwith many lines')
      return { version: '1', programs: command }
    },
    (line) => said.push(line),
  )
  expect(Object.keys(found)).toEqual(CLIS.flatMap(({ command }) => (command === 'pi' ? [] : [command])))
  expect(said).toEqual([expect.stringMatching(/^NOT CHECKED: pi, because .+ cannot be installed: npm install failed$/)])
})

it('fails if none can be', async () => {
  const install = async () => Promise.reject(new Error('no network'))
  await expect(installAll(CLIS, install, () => {})).rejects.toThrow('no CLI could be installed')
})
