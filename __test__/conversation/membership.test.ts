/* oxlint-disable no-await-in-loop -- one step after another */
/** A member that is added under the name of a removed one is a different member. */
import { fileStore, memoryStore, openConversation } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { FlakyStore } from '../support/flaky-store.js'
import { newDirectory } from '../support/processes.js'
import { Agent, failureOf, quiet, said, team } from '../support/team.js'

const SECRETS = /SECRET/

describe('a removed member', () => {
  it.each(['team', 'addressed'] as const)('leaves nothing private to its successor: %s', async (visibility) => {
    const { talk } = await team({ visibility })
    const [first, second] = [new Agent('lee'), new Agent('lee')]
    await talk.addMember('lee', { run: first.run })
    const lee = 'lee' as 'max'
    await talk.say('kailai', 'open to all')
    await talk.say('kailai', 'SECRET of kailai', { to: lee, private: true })
    first.next('SECRET of lee')
    await talk.send(lee)
    expect(first.last.prompt).toContain('SECRET of kailai')
    await talk.removeMember(lee)
    await talk.addMember('lee', { run: second.run })
    const turn = await talk.send(lee)
    expect(second.last.prompt).toContain('open to all')
    expect(second.last.prompt).not.toMatch(SECRETS)
    expect(JSON.stringify(turn.report)).not.toMatch(SECRETS)
    await talk.say('kailai', 'NEW for lee', { to: lee, private: true })
    await talk.send(lee)
    expect(second.last.prompt).toContain('NEW for lee')
    // The others are not affected.
    expect(said(talk)).toContain('msg-2 kailai>lee (private): SECRET of kailai')
  })

  it('leaves nothing after a restart or a compaction, nor in another letter case', async () => {
    const directory = newDirectory()
    const agents: Agent[] = []
    const open = (name?: string) => {
      const agent = new Agent('lee')
      agents.push(agent)
      return openConversation<string>({
        id: 'a',
        store: fileStore(directory),
        markers: 'verbatim',
        logger: quiet,
        members: { kailai: { human: true }, ...(name && { [name]: { run: agent.run } }) },
      })
    }
    let talk = await open('lee')
    await talk.say('kailai', 'SECRET one', { to: 'lee', private: true })
    await talk.say('kailai', 'for all')
    await talk.removeMember('lee')
    await talk.close()
    for (const name of ['lee', undefined, 'Lee']) {
      talk = await open(name)
      if (name !== undefined) {
        await talk.say('kailai', `for ${name}`)
        await talk.send(name)
        expect(agents.at(-1)?.last.prompt).not.toMatch(SECRETS)
        await talk.say('kailai', `SECRET for ${name}`, { to: name, private: true })
        await talk.send(name)
        expect(agents.at(-1)?.last.prompt).toContain(`SECRET for ${name}`)
        expect(agents.at(-1)?.last.prompt).not.toContain('SECRET one')
        await talk.removeMember(name)
      }
      // Enough changes for the log to be compacted.
      for (let index = 0; index < 20; index++) await talk.update('msg-2', { text: `${index} ${'x'.repeat(10_000)}` })
      await talk.close()
    }
    talk = await open('LEE')
    await talk.say('kailai', 'who is there?')
    await talk.send('LEE')
    expect(agents.at(-1)?.last.prompt).not.toMatch(SECRETS)
    await talk.close()
  })

  it('leaves no summary and no key of its fence', async () => {
    const { talk } = await team({
      markers: 'fence',
      contextWindowSize: 2,
      evictionStep: 1,
      summarise: ({ messages, previous }) => `${previous ?? ''}${messages.map(({ content }) => content).join('; ')}`,
    })
    const [first, second] = [new Agent('lee'), new Agent('lee')]
    await talk.addMember('lee', { run: first.run, session: 'none' })
    const lee = 'lee' as 'max'
    await talk.say('kailai', 'SECRET', { to: lee, private: true })
    for (let index = 0; index < 5; index++) await talk.say('kailai', `text ${index}`)
    await talk.send(lee)
    expect(first.last.prompt).toMatch(SECRETS)
    await talk.removeMember(lee)
    await talk.addMember('lee', { run: second.run, session: 'none' })
    await talk.send(lee)
    expect(second.last.prompt).not.toMatch(SECRETS)
    const keyOf = (prompt: string) => /=== (\w{12}) /.exec(prompt)?.[1]
    expect(keyOf(second.last.prompt)).toBeDefined()
    expect(keyOf(second.last.prompt)).not.toBe(keyOf(first.last.prompt))
  })

  it('does not get a pending answer, and neither does its successor', async () => {
    const { talk, sarah } = await team()
    const second = new Agent('lee')
    await talk.addMember('lee', { human: true })
    const lee = 'lee' as 'max'
    await talk.say(lee, 'SECRET question', { to: 'sarah', private: true })
    sarah.next(
      async () => {
        await talk.removeMember(lee)
        await talk.addMember('lee', { run: second.run })
        return 'SECRET answer'
      },
      async () => 'SECRET again [NEXT: lee]',
    )
    await talk.send('sarah')
    expect(said(talk).at(-1)).toBe('msg-2 sarah>sarah (private): SECRET answer')
    expect(await failureOf(talk.send(lee))).toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
    await talk.say('kailai', 'hello')
    await talk.send(lee)
    expect(second.last.prompt).not.toMatch(SECRETS)
  })

  it('is not confused with its successor by a marker whose author did not know the successor', async () => {
    const { talk, sarah } = await team()
    await talk.addMember('lee', { human: true })
    const lee = 'lee' as 'max'
    await talk.say(lee, 'SECRET', { to: 'sarah', private: true })
    sarah.next(async () => {
      await talk.removeMember(lee)
      await talk.addMember('lee', { human: true })
      return 'SECRET [NEXT: lee]'
    })
    const turn = await talk.send('sarah')
    expect(turn.warnings).toEqual([
      { code: 'unknown-addressee', message: "sarah has addressed 'lee', who is not a member" },
    ])
    expect(said(talk).at(-1)).toBe('msg-2 sarah>sarah (private): SECRET')
  })

  it('cannot be addressed once it is removed', async () => {
    const { talk } = await team()
    const removal = talk.removeMember('max')
    await expect(talk.say('kailai', 'x', { to: 'max', private: true })).rejects.toThrow("'max', who is not a member")
    const addition = talk.addMember('max', { human: true })
    await Promise.all([removal, addition])
    expect(talk.members()).toContain('max')
  })

  it('stays if the removal cannot be stored', async () => {
    const store = new FlakyStore()
    const { talk, max } = await team({ id: 'a', store })
    await talk.say('kailai', 'SECRET', { to: 'max', private: true })
    store.failures = ['after']
    const removal = talk.removeMember('max')
    const addition = talk.addMember('max', { human: true })
    await expect(removal).rejects.toThrow('the answer was lost')
    await expect(addition).rejects.toThrow("there is a member 'max'")
    await talk.send('max')
    expect(max.last.prompt).toMatch(SECRETS)
  })

  it('cannot be addressed in an older message by its successor’s name', async () => {
    const { talk } = await team({ visibility: 'addressed' })
    await talk.say('kailai', 'one')
    await talk.removeMember('max')
    await talk.addMember('max', { human: true })
    await expect(talk.update('msg-1', { to: ['max'] })).rejects.toThrow('max, who joined after msg-1: say it again')
    await talk.say('kailai', 'two')
    await talk.update('msg-2', { to: ['max'] })
  })
})

describe('a member who was never removed', () => {
  it('keeps its private messages if it is changed', async () => {
    const { talk } = await team()
    const other = new Agent('other')
    await talk.say('kailai', 'SECRET', { to: 'max', private: true })
    await talk.change('max', { run: other.run })
    await talk.send('max')
    expect(other.last.prompt).toMatch(SECRETS)
  })

  it('continues when it comes back after a restart without it', async () => {
    const store = memoryStore()
    const sarah = new Agent('sarah')
    const max = new Agent('max')
    const open = (members: object) =>
      openConversation<string>({ id: 'a', store, logger: quiet, members: { kailai: { human: true }, ...members } })
    let talk = await open({ sarah: { run: sarah.run }, max: { run: max.run } })
    await talk.say('kailai', 'SECRET', { to: 'max', private: true })
    await talk.send('max')
    await talk.close()
    // Others take turns in the meantime.
    talk = await open({ sarah: { run: sarah.run } })
    await talk.say('kailai', 'meanwhile')
    await talk.send('sarah')
    await talk.addMember('max', { run: max.run })
    await talk.send('max')
    expect(max.last.resume).toBe('max-session-1')
    expect(max.last.prompt).toContain('meanwhile')
    expect(max.last.prompt).not.toMatch(SECRETS)
    await talk.close()
    talk = await open({ sarah: { run: sarah.run } })
    await talk.addMember('max', { run: max.run, cwd: '/' })
    await talk.say('kailai', 'elsewhere')
    await talk.send('max')
    expect(max.last.resume).toBeUndefined()
    expect(max.last.prompt).toMatch(SECRETS)
    await talk.close()
  })
})

describe('names', () => {
  it.each(['Straße/STRASSE', 'é/e\u0301'])('that match as addressees are rejected: %s', async (pair) => {
    const [one = '', other = ''] = pair.split('/')
    const members = { [one]: { human: true }, [other]: { human: true } } as const
    const error = await failureOf(openConversation<string>({ members }))
    expect(error.message).toContain('must differ in more than letter case')
    const talk = await openConversation<string>({ members: { [one]: { human: true } } })
    await expect(talk.addMember(other, { human: true })).rejects.toThrow('there is a member')
    await talk.close()
  })

  it.each(['a、b', 'a，b'])('that look like a list are rejected: %s', async (name) => {
    const error = await failureOf(openConversation<string>({ members: { [name]: { human: true } } }))
    expect(error.message).toContain('a name without commas')
  })
})
