import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ContextManager } from 'promptmason'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const { stdout: transcript } = await promisify(execFile)(
  process.execPath,
  ['--import', 'tsx', 'examples/routed-conversation.ts'],
  {
    cwd: root,
    env: { ...process.env, DEBUG: undefined },
  },
)

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/** What each agent process says it has read from its stdin, in order. */
const deliveries = [
  ...transcript.matchAll(
    /── to (.+) \((.+)\): (\d+) bytes\n((?: {3}│ .*\n)+)(?: {3}└ system flag: (.*)\n)? {3}(.*): sha256 (\w+)\n/g,
  ),
].map(([, name, agentType, bytes, lines, flag, verdict, hash]) => ({
  name,
  agentType: agentType ?? '',
  bytes: Number(bytes),
  prompt: (lines ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => line.slice('   │ '.length))
    .join('\n'),
  flag,
  verdict,
  hash,
}))

/** Every message of the transcript. */
const messages = [
  ...transcript.matchAll(/^(msg-\d+) (\S+(?: 李)?): ([^]*?)(?=\n\n(?:msg-\d+ |── to )|\n(?![^]))/gm),
].map(([, id, name, content]) => ({
  id,
  name,
  content: content ?? '',
}))

const INSTRUCTIONS: Record<string, string> = {
  max: 'You are Max, an architect.',
  sarah: 'You are Sarah, a backend engineer.',
  lee: 'You are Lee, a reviewer. 请简短回答。',
}
const IDS: Record<string, string> = { Kailai: 'kailai', Max: 'max', Sarah: 'sarah', 'Lee 李': 'lee' }
const ADDRESSEES: Record<string, string[]> = { 'msg-1': ['all'], 'msg-2': ['max', 'sarah', 'lee'], 'msg-6': ['max'] }
/** Which message each turn answers, with which intent. */
const TURNS = [
  ['msg-2', 'answer'],
  ['msg-2', 'answer'],
  ['msg-2', 'review'],
  ['msg-6', 'summary'],
] as const

describe('the routed conversation', () => {
  it('has three members with three CLIs, and a second turn for one of them', () => {
    expect(deliveries.map(({ name, agentType }) => [name, agentType])).toEqual([
      ['Max', 'claude-code'],
      ['Sarah', 'openai-codex'],
      ['Lee 李', 'google-gemini'],
      ['Max', 'claude-code'],
    ])
    expect(messages.map(({ id, name }) => [id, name])).toEqual([
      ['msg-1', 'Kailai'],
      ['msg-2', 'Kailai'],
      ['msg-3', 'Max'],
      ['msg-4', 'Sarah'],
      ['msg-5', 'Lee 李'],
      ['msg-6', 'Kailai'],
      ['msg-7', 'Max'],
    ])
  })

  it('each agent process got, over its pipe, exactly the bytes that assembleForRoute gives as a string', () => {
    const manager = new ContextManager({ contextWindowSize: 4, siblingContentMaxLength: 60 })
    manager.setTeamTask('Design the login 🔑')
    const turns = TURNS.entries()
    for (const { id, name = '', content } of messages) {
      const speaker = { id: IDS[name] ?? '', name, type: name === 'Kailai' ? 'human' : 'ai' }
      if (name === 'Kailai') {
        manager.addMessage({ speaker, content, routing: { resolvedAddressees: ADDRESSEES[id ?? ''] } })
        continue
      }
      const [turn, [parentMessageId, intent]] = turns.next().value ?? [0, ['', '']]
      const { agentType = '', prompt, bytes, flag, hash } = deliveries[turn] ?? {}
      const route = { parentMessageId, targetMemberId: speaker.id, intent }
      const expected = manager.assembleForRoute(speaker.id, agentType, route, {
        systemInstruction: INSTRUCTIONS[speaker.id],
      })
      expect(prompt).toBe(expected.prompt)
      expect(bytes).toBe(Buffer.byteLength(expected.prompt))
      expect(hash).toBe(sha256(expected.prompt))
      expect(flag).toBe(expected.systemFlag)
      manager.addMessage({ speaker, content, routing: { parentMessageId, intent, resolvedAddressees: ['kailai'] } })
    }
    expect(turns.next().done).toBe(true)
  })

  it('each agent process confirmed what it got', () => {
    expect(deliveries.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 4 }, () => 'arrived as assembled'))
  })

  it('each member sees what the others have answered, shortened and without code, and no markers', () => {
    const [first, second, third, last] = deliveries.map(({ prompt }) => prompt)
    expect(first).not.toContain('I got')
    expect(second).toContain('- Max [answer]: I got')
    expect(third).toMatch(/- Sarah \[answer\]: I got .*\n\[code block omitted\]\n- Max \[answer\]: I got/)
    expect(last).toContain('sha256sum  prompt')
    for (const { prompt } of deliveries) expect(prompt).not.toContain('[NEXT:')
    expect(first).toContain('    cookie  or  header')
  })
})
