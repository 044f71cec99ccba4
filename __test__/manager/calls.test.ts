/* oxlint-disable no-await-in-loop -- one after another */
/** How many functions of `lib/` a call needs, once everything was called before. */
import { Session } from 'node:inspector/promises'
import { ContextManager, openConversation } from 'promptmason'
import { expect, it } from 'vitest'

interface Counted {
  files: number
  functions: number
  calls: number
}

const countedIn = async (work: () => unknown): Promise<Counted> => {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const called = result
      .filter(({ url }) => url.includes('/dist/') && !url.includes('node_modules'))
      .map(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0).filter((count) => count > 0))
      .filter((counts) => counts.length > 0)
    const counts = called.flat()
    return { files: called.length, functions: counts.length, calls: counts.reduce((sum, count) => sum + count, 0) }
  } finally {
    session.disconnect()
  }
}

it('looks at the routing of messages without a call for each', async () => {
  const manager = new ContextManager()
  const say = (index: number) =>
    manager.addMessage({ speaker: { id: 'max', type: 'ai' }, content: 'x', ...(index % 4 === 0 && { routing: {} }) })
  const turn = () => manager.assembleForAgent('lee', 'codex', { recipient: 'lee', session: 'delta' })
  for (let index = 0; index < 60; index++) {
    say(index)
    turn()
    manager.confirm('lee')
  }
  say(1)
  const { calls } = await countedIn(turn)
  expect(calls).toBeGreaterThan(20)
  expect(calls).toBeLessThanOrEqual(60)
})

it('sends to a resumed member through few files and functions', async () => {
  const talk = await openConversation({
    members: { lee: { human: true }, max: { run: ({ resume }) => ({ text: 'Done.', session: resume ?? '1' }) } },
  })
  const ask = async () => {
    await talk.say('lee', 'Go on.', { to: 'max' })
    return countedIn(() => talk.send('max'))
  }
  for (let turn = 0; turn < 3; turn++) await ask()
  const { files, functions } = await ask()
  await talk.close()
  expect(files).toBeGreaterThan(10)
  expect(files).toBeLessThanOrEqual(45)
  expect(functions).toBeLessThanOrEqual(250)
})
