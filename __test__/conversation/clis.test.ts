/* oxlint-disable no-await-in-loop -- one program after another */
/** Members that are programs. */
import { execFile, spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { type AgentMember, type DeliveryEvent, deliver, fileStore, openConversation, planDelivery } from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { PROFILES } from '../../dist/delivery/profiles/index.js'
import { CLIS } from '../clis/catalog.js'
import { documentText, root } from '../support/documents.js'
import { gone, idIn, isAlive, newDirectory, newFile } from '../support/processes.js'
import { failureOf, quiet, said } from '../support/team.js'

vi.setConfig({ testTimeout: 60_000 })

const STAND_IN = join(root, 'examples', 'stand-in-cli.mjs')
const FAKE = join(root, '__test__', 'support', 'fake-cli.cjs')

/** A program that stands in for a CLI. */
const standIn = (name: string): AgentMember => ({
  agent: name,
  profile: {
    command: process.execPath,
    args: [STAND_IN, name],
    resumeArgs: ['--resume', '{id}'],
    output: name,
  },
})
const fake = (...args: string[]): AgentMember => ({
  agent: 'claude',
  profile: { command: process.execPath, args: [FAKE, ...args], output: 'claude' },
})

const talkWith = (members: Record<string, AgentMember>, options: object = {}) =>
  openConversation<string>({
    markers: 'verbatim',
    briefing: false,
    logger: quiet,
    ...options,
    members: { kailai: { human: true }, ...members },
  })

describe('programs', () => {
  it.skipIf(process.platform === 'darwin')('of an owner that was killed are ended by the next one', async () => {
    const name = 'PROMPTMASON_CONVERSATION'
    const script = `process.stdin.resume().on('end', () => console.log(process.env.${name}))`
    const directory = newDirectory()
    const options = { id: 'a', store: fileStore(directory) }
    const members = { sarah: { agent: 'x', profile: { command: process.execPath, args: ['-e', script] } } }
    const talk = await talkWith(members, options)
    await talk.say('kailai', 'Go')
    const { text: key } = await talk.send('sarah')
    await talk.close()
    const left = (value: string) => {
      const file = newFile()
      const program = `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`
      spawn(process.execPath, ['-e', program], { env: { [name]: value }, detached: true, stdio: 'ignore' }).unref()
      return idIn(file)
    }
    const [ours, another] = await Promise.all([left(key), left('another')])
    copyFileSync(join(directory, 'a.jsonl'), join(directory, 'b.jsonl'))
    await (await talkWith(members, { ...options, id: 'b' })).close()
    expect(isAlive(ours)).toBe(true)
    const next = await talkWith(members, options)
    expect([isAlive(ours), isAlive(another)]).toEqual([false, true])
    process.kill(another)
    await next.say('kailai', 'Again')
    expect((await next.send('sarah')).text).toBe(key)
    await next.close()
  })

  it('talk to each other, continue their sessions, and can be replaced', async () => {
    const store = fileStore(newDirectory())
    const members = { sarah: standIn('claude'), max: standIn('codex'), lee: standIn('gemini') }
    const talk = await talkWith(members, { id: 'a', store, task: 'Design the login' })
    await talk.say('kailai', 'Where do the tokens live?')
    const results = await talk.sendAll(['sarah', 'max', 'lee'])
    expect(results.map(({ turn, error }) => error ?? turn?.text)).toEqual([
      'This is claude. I see 0 earlier messages.',
      'This is codex. I see 0 earlier messages.',
      'This is gemini. I see 0 earlier messages.',
    ])
    expect(results.map(({ turn }) => turn?.session)).toEqual(['claude-session', 'codex-session', 'gemini-session'])
    await talk.say('kailai', 'And then?')
    const events: DeliveryEvent[] = []
    const turn = await talk.send('sarah', { onEvent: (event) => events.push(event) })
    expect(turn.text).toBe('This is claude. I see 2 earlier messages in this session.')
    expect(turn.report.session?.mode).toBe('delta')
    await talk.close()

    const again = await talkWith({ ...members, sarah: standIn('codex') }, { id: 'a', store })
    await again.say('kailai', 'Go on.')
    expect((await again.send('sarah')).text).toBe('This is codex. I see 6 earlier messages.')
    expect((await again.send('max')).text).toContain(' in this session.')
    await again.change('lee', { ...standIn('claude') })
    expect((await again.send('lee')).text).toMatch(/^This is claude. I see \d earlier messages.$/)
    await again.close()
  })

  it('continue their sessions if other settings change', async () => {
    const talk = await talkWith({ sarah: standIn('claude') })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    await talk.change('sarah', { ...standIn('claude'), system: 'Be kind.' })
    await talk.say('kailai', 'two')
    const turn = await talk.send('sarah')
    expect(turn.text).toContain(' in this session.')
    // The program has no option for it.
    expect(turn.report.systemFlagBytes).toBe(0)
    await talk.close()
  })

  it('that are not installed: the error says what to install', async () => {
    const talk = await talkWith({ sarah: { agent: 'no-such-agent-cli' } })
    await talk.say('kailai', 'one')
    const error = await failureOf(talk.send('sarah'))
    expect(error).toMatchObject({ code: 'ERR_TURN_FAILED', reason: 'not-installed', delivered: 'no' })
    expect(error.message).toContain("the program 'no-such-agent-cli' was not found: install it")
    expect(said(talk)).toHaveLength(1)
    await talk.close()
  })

  it('that are misspelled: the error differs from that of programs that are not installed', async () => {
    const talk = await talkWith({
      sarah: { agent: 'cluade' },
      max: { agent: 'codex', profile: { command: '/bin/opnecode' } },
    })
    await talk.say('kailai', 'one')
    for (const [name, meant] of [
      ['sarah', "the program 'cluade' was not found: did you mean 'claude'?"],
      ['max', "the program '/bin/opnecode' was not found: did you mean 'opencode'?"],
    ] as const) {
      const error = await failureOf(talk.send(name))
      expect(error).toMatchObject({ code: 'ERR_TURN_FAILED', reason: 'not-installed', delivered: 'no' })
      expect(error.message).toContain(meant)
    }
    await talk.close()
  })

  it('that are known and not installed: the error names the package, also in the lines of the guide', async () => {
    const [, code = ''] = /```js\n(.*?)```/s.exec(documentText('docs/open-conversation.md')) ?? []
    expect(code.trim().split('\n')).toHaveLength(10)
    const output = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
      cwd: root,
      env: { PATH: '' },
    }).catch((error) => error)
    expect(output.code).toBe(1)
    expect(output.stderr).toContain(
      "sarah's turn failed (not-installed): spawn claude ENOENT: the program 'claude' was not found: install it with `npm install -g @anthropic-ai/claude-code`",
    )
    for (const { command, package: name, agentType } of PROFILES) {
      expect(CLIS.find((cli) => cli.command === command)?.package).toBe(name)
      const plan = planDelivery({ prompt: 'x' }, { agentType })
      const error = await failureOf(deliver({ ...plan, env: { ...plan.env, PATH: '' } }))
      expect(error.message).toContain(`npm install -g ${name}`)
    }
  })

  it.each(['README.md', 'README.zh-CN.md'])(
    'that are not installed: the first example of %s names them',
    async (name) => {
      const [, code = ''] = /```ts\n(.*?sendToAgent.*?)```/s.exec(documentText(name)) ?? []
      const script = (await transform(code, { loader: 'ts' })).code
      const { code: exitCode, stderr } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '-e', script],
        {
          cwd: root,
          env: { PATH: '' },
        },
      ).catch((error) => error)
      expect(exitCode).toBe(1)
      expect(stderr).toContain('install it with `npm install -g @anthropic-ai/claude-code`')
    },
  )

  it('that hang are ended, with the processes they have started', async () => {
    const [pid, child] = [newFile(), newFile()]
    const talk = await talkWith({ sarah: { ...fake('stuck', pid), timeoutMs: 1000 }, max: fake('family', child) })
    await talk.say('kailai', 'one')
    const stuck = failureOf(talk.send('sarah'))
    const id = await idIn(pid)
    expect(await stuck).toMatchObject({ reason: 'timed-out' })
    await gone(id)
    const controller = new AbortController()
    const family = failureOf(talk.send('max', { signal: controller.signal }))
    const childId = await idIn(child)
    controller.abort()
    expect(await family).toMatchObject({ reason: 'aborted' })
    await gone(childId)
    expect(said(talk)).toHaveLength(1)
    await talk.close()
  })

  it('do not act on commands in messages of others', async () => {
    const talk = await talkWith({ sarah: { ...fake('echo'), env: { MINE: 'yes' } } })
    await talk.say('kailai', 'see @/etc/passwd and $HOME')
    const { text } = await talk.send('sarah')
    expect(JSON.parse(text).env.MINE).toBe('yes')
    await talk.close()
  })
})
