/** Sessions of CLIs that become part of a conversation. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Conversation,
  type HandoffSource,
  type Member,
  fileStore,
  isPromptmasonError,
  openConversation,
  readTranscript,
} from 'promptmason'
import { afterAll, expect, it } from 'vitest'
import { root } from '../support/documents.js'
import { FlakyStore } from '../support/flaky-store.js'
import { Agent, quiet, team } from '../support/team.js'

const folder = mkdtempSync(join(tmpdir(), 'adopt-'))
afterAll(() => rmSync(folder, { recursive: true }))

const call = { type: 'tool-call', id: '1', name: 'Bash', input: { command: 'ls' } } as const
const result = { type: 'tool-result', id: '1', output: 'a.txt' } as const
const transcript = (agent = 'claude', ...more: HandoffSource['messages']): HandoffSource => ({
  agent,
  session: '927b3690-8cc1-462e-af2b-670f6d7624da',
  cwd: process.cwd(),
  messages: [
    { speaker: { id: 'user', type: 'human' }, content: 'FIRST TASK', timestamp: new Date(5) },
    { speaker: { id: agent, type: 'ai' }, content: 'LOOKED', parts: [{ type: 'text', text: 'LOOKED' }, call, result] },
    ...more,
  ],
})
/** What a CLI is asked, without the CLI: its plan goes through `preview`. */
const claude = (more = {}): Member => ({ agent: 'claude', ...more })

it('attributes, numbers and keeps messages and tool calls', async () => {
  const { talk, sarah } = await team()
  await talk.say('kailai', 'Before.')
  const adopted = await talk.adopt('sarah', transcript())
  expect(adopted).toEqual(talk.messages().slice(1))
  expect(talk.messages()).toMatchObject([
    { id: 'msg-1', content: 'Before.' },
    {
      id: 'msg-2',
      speaker: { id: 'kailai', type: 'human' },
      content: 'FIRST TASK',
      timestamp: new Date(5),
      routing: { addressees: ['sarah'] },
    },
    {
      id: 'msg-3',
      speaker: { id: 'sarah', type: 'ai' },
      content: 'LOOKED',
      parts: [{ type: 'text', text: 'LOOKED' }, call, result],
      routing: { addressees: ['kailai'] },
    },
  ])
  // Its own answer is not new to it.
  await expect(talk.send('sarah')).rejects.toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
  expect(await talk.say('kailai', 'Go on.')).toMatchObject({ id: 'msg-4' })
  await talk.send('sarah')
  expect(sarah.last.resume).toBeUndefined()
  for (const text of ['Before.', 'FIRST TASK', 'LOOKED', '→ Bash {"command":"ls"}\n← result\na.txt', 'Go on.']) {
    expect(sarah.last.prompt).toContain(text)
  }
})

it('shows the team everything, unless it is private', async () => {
  const { talk, max } = await team()
  await talk.adopt('sarah', transcript())
  await talk.send('max')
  expect(max.last.prompt).toContain('LOOKED')
  const secret = await team()
  await secret.talk.adopt('sarah', transcript(), { private: true })
  await secret.talk.adopt(
    'max',
    { ...transcript(), messages: [{ speaker: { id: 'x', type: 'ai' }, content: 'OWN' }] },
    { private: true },
  )
  await secret.talk.say('kailai', 'Go on.')
  await secret.talk.sendAll(['sarah', 'max'])
  expect(secret.max.last.prompt).toContain('OWN')
  expect(secret.max.last.prompt).not.toMatch(/FIRST TASK|LOOKED|a\.txt/)
  expect(secret.sarah.last.prompt).toContain('LOOKED')
  expect(secret.sarah.last.prompt).not.toContain('OWN')
})

it('is private with visibility addressed, also for a later member of the same name', async () => {
  const { talk, max } = await team({ visibility: 'addressed' })
  await talk.adopt('sarah', transcript())
  await talk.say('kailai', 'Go on.')
  await talk.send('max')
  expect(max.last.prompt).not.toContain('LOOKED')
  await talk.removeMember('sarah')
  const other = new Agent('other')
  await talk.addMember('sarah', { run: other.run })
  await talk.say('kailai', 'And you?')
  await talk.send('sarah')
  expect(other.last.prompt).not.toMatch(/FIRST TASK|LOOKED/)
})

it('requires the user', async () => {
  const { talk } = await team({}, { more: { lee: { human: true } } })
  await expect(talk.adopt('sarah', transcript())).rejects.toThrow('options.user must name the member')
  await talk.adopt('sarah', transcript(), { user: 'lee' })
  expect(talk.messages()[0]?.speaker.id).toBe('lee')
  await expect(talk.adopt('sarah', transcript(), { user: 'sarah' })).rejects.toThrow('whose session it is')
  await expect(talk.adopt('sarah', transcript(), { user: 'kailay' })).rejects.toThrow("did you mean 'kailai'")
  await expect(talk.adopt('sarah', transcript(), { user: 'nobody' })).rejects.toThrow('members are kailai, sarah')
  await expect(talk.adopt('lee', transcript())).rejects.toThrow('a human')
  await expect(talk.adopt('sarah', { ...transcript(), messages: [{}] } as never)).rejects.toThrow(
    'transcript.messages[0].speaker must be an object',
  )
  expect(talk.messages()).toHaveLength(2)
})

const opened = (more: object, member: Member) =>
  openConversation<string>({ logger: quiet, members: { kailai: { human: true }, sarah: member }, ...more })
const preview = async (talk: Conversation) => {
  const { prompt, report } = await talk.preview('sarah')
  return { prompt, mode: report.session?.mode }
}

it('continues the session of the same CLI, and sends only what is new', async () => {
  const store = fileStore(folder)
  let talk = await opened({ id: 'same', store, task: 'The task' }, claude())
  await talk.adopt('sarah', transcript())
  for (const isReopened of [false, true]) {
    if (isReopened) {
      // oxlint-disable no-await-in-loop -- one after the other
      await talk.close()
      talk = await opened({ id: 'same', store }, claude())
    }
    await talk.say('kailai', `NEW ${isReopened}`)
    const { prompt, mode } = await preview(talk)
    expect(mode).toBe('delta')
    expect(prompt).toContain('NEW false')
    expect(prompt).toContain('The task')
    expect(prompt).not.toMatch(/FIRST TASK|LOOKED/)
  }
  expect(readFileSync(join(folder, 'same.jsonl'), 'utf8')).toContain('"id":"927b3690')
  // Another agent has been shown nothing.
  await talk.change('sarah', { agent: 'codex' })
  const { prompt, mode } = await preview(talk)
  expect(mode).toBe('whole')
  for (const text of ['FIRST TASK', 'LOOKED', 'a.txt', 'NEW true']) expect(prompt).toContain(text)
  await talk.close()
})

it.each<[string, Member, HandoffSource]>([
  ['another CLI', claude({ agent: 'codex' }), transcript()],
  ['a session that is not to be resumed', claude({ session: 'none' }), transcript()],
  ['a CLI that needs the directory', claude({ agent: 'gemini' }), { ...transcript('gemini'), cwd: '/elsewhere' }],
  ['a program in the place of the CLI', claude({ profile: { command: 'x' } }), transcript()],
])('begins anew with %s', async (_, member, given) => {
  const talk = await opened({}, member)
  await talk.adopt('sarah', given)
  await talk.say('kailai', 'NEW')
  expect(await preview(talk)).toMatchObject({ mode: 'whole', prompt: expect.stringContaining('FIRST TASK') })
  await talk.close()
})

it('starts a new session if the conversation has something that the session has not', async () => {
  const talk = await opened({}, claude())
  await talk.say('kailai', 'BEFORE')
  await talk.adopt('sarah', transcript())
  await talk.say('kailai', 'NEW')
  const { prompt, mode } = await preview(talk)
  expect(mode).toBe('whole')
  for (const text of ['BEFORE', 'FIRST TASK', 'LOOKED', 'NEW']) expect(prompt).toContain(text)
  await talk.close()
})

it('answers the last message of the user if nobody has', async () => {
  const { talk, sarah } = await team()
  await talk.adopt('sarah', transcript('claude', { speaker: { id: 'user', type: 'human' }, content: 'UNANSWERED' }))
  await talk.send('sarah')
  expect(sarah.last.prompt.split('[MESSAGE]')[1]).toContain('UNANSWERED')
})

it('changes nothing if it cannot be stored, and survives restarts', async () => {
  const store = new FlakyStore()
  const { talk } = await team({ id: 'flaky', store })
  await talk.say('kailai', 'Before.')
  for (const failing of ['before', 'after'] as const) {
    store.failures.push(failing)
    // oxlint-disable-next-line no-await-in-loop
    await expect(talk.adopt('sarah', transcript())).rejects.toThrow()
    expect(talk.messages()).toHaveLength(1)
  }
  await talk.adopt('sarah', transcript())
  await talk.say('kailai', 'After.')
  const messages = JSON.stringify(talk.messages())
  await talk.close()
  const again = await team({ id: 'flaky', store })
  expect(JSON.stringify(again.talk.messages())).toBe(messages)
  expect(again.talk.messages().map(({ id }) => id)).toEqual(['msg-1', 'msg-2', 'msg-3', 'msg-4'])
})

it('adopts the same session once, also after restarts and compaction', async () => {
  const store = new FlakyStore()
  const open = () => opened({ id: 'once', store }, claude())
  let talk = await open()
  const isRefused = async () => {
    await expect(talk.adopt('sarah', transcript())).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringContaining('transcript.session must not be'),
    })
    expect(talk.messages().filter(({ content }) => content === 'LOOKED')).toHaveLength(1)
  }
  const [, answer] = await talk.adopt('sarah', transcript())
  await isRefused()
  await talk.change('sarah', { agent: 'codex' })
  await isRefused()
  await talk.close()
  talk = await open()
  await isRefused()
  const logged = async () => (await store.load('once'))?.entries.length ?? 0
  const before = await logged()
  // Many edits of one message make the log much longer than its content.
  for (let edit = 0; edit < 200; edit++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await talk.update(answer!.id, { text: `${'x'.repeat(500)}${edit}` })
  }
  await talk.update(answer!.id, { text: 'LOOKED' })
  await talk.close()
  talk = await open()
  expect(await logged()).toBeLessThan(before + 200)
  await isRefused()
  // Another session, and one without a name, are not the same.
  expect(await talk.adopt('sarah', { ...transcript(), session: 'other' })).toHaveLength(2)
  expect(await talk.adopt('sarah', { ...transcript(), session: undefined })).toHaveLength(2)
  expect(await talk.adopt('sarah', { ...transcript(), session: undefined })).toHaveLength(2)
  await talk.close()
})

it('is rejected while a turn is running', async () => {
  const { talk, sarah } = await team()
  await talk.say('kailai', 'a')
  let answer: (text: string) => void = () => {}
  sarah.next(() => new Promise((resolve) => (answer = resolve)))
  const turn = talk.send('sarah')
  await expect(talk.adopt('sarah', transcript())).rejects.toSatisfy((error) => isPromptmasonError(error, 'ERR_BUSY'))
  await new Promise((resolve) => setImmediate(resolve))
  answer('done')
  await turn
  expect(talk.messages()).toHaveLength(2)
})

it('accepts a recorded session, complete or empty', async () => {
  const file = join(
    root,
    '__test__/transcripts/recordings/claude/projects/-work-project-0/927b3690-8cc1-462e-af2b-670f6d7624da.jsonl',
  )
  const recorded = await readTranscript({ agent: 'claude', file })
  const { talk } = await team()
  expect(await talk.adopt('sarah', { agent: 'claude', messages: [] })).toEqual([])
  expect(await talk.adopt('sarah', recorded)).toHaveLength(recorded.messages.length)
  expect(talk.messages().map(({ content }) => content)).toEqual(recorded.messages.map(({ content }) => content))
})
