/**
 * A team in one conversation: a human and three agents. A private message, a delivery that fails, a
 * process that is killed in the middle of a turn, a restart, and an agent that takes over from another.
 *
 *     npx tsx examples/team.ts            # with small programs instead of the CLIs
 *     npx tsx examples/team.ts --real     # with the CLIs that are installed
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AgentMember, type ConversationEvent, fileStore, isPromptmasonError, openConversation } from 'promptmason'

const isReal = process.argv.includes('--real')
const directory = process.env['TEAM_DIRECTORY'] ?? mkdtempSync(join(tmpdir(), 'promptmason-team-'))

const isInstalled = (command: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)))

/** An agent CLI, or a program that writes the same format. */
const cli = (agent: string): AgentMember => {
  if (isReal && isInstalled(agent)) return { agent, cwd: directory, timeoutMs: 300_000 }
  const file = fileURLToPath(new URL('stand-in-cli.mjs', import.meta.url))
  const profile = { command: process.execPath, args: [file, agent], resumeArgs: ['--resume', '{id}'], output: agent }
  return { agent, profile }
}
const role = (name: string): string => `You are ${name}, an engineer. Answer in one short sentence and use no tools.`

const title = (text: string): void => console.log(`\n── ${text}`)

const open = (onEvent?: (event: ConversationEvent) => void) =>
  openConversation({
    id: 'login',
    store: fileStore(directory),
    task: 'Design the login',
    members: {
      kailai: { human: true },
      sarah: { ...cli('claude'), system: role('Sarah') },
      max: { ...cli('codex'), system: role('Max') },
      lee: { ...cli('gemini'), system: role('Lee') },
    },
    onEvent,
  })
type Talk = Awaited<ReturnType<typeof open>>

/** One turn: what was said, and how much of the conversation was sent for it. */
const send = async (talk: Talk, name: 'sarah' | 'max' | 'lee'): Promise<void> => {
  try {
    const { text, report, warnings } = await talk.send(name)
    console.log(`${name}: ${text}   [${report.session?.mode} prompt, ${report.totalBytes} bytes]`)
    for (const { message } of warnings) console.log(`   (${message})`)
  } catch (error) {
    if (!isPromptmasonError(error, 'ERR_TURN_FAILED')) throw error
    console.log(`${name} failed: ${error.reason}, delivered: ${error.delivered}. The conversation is unchanged.`)
  }
}

const say = async (talk: Talk, text: string, options?: Parameters<Talk['say']>[2]): Promise<void> => {
  const { routing } = await talk.say('kailai', text, options)
  const to = routing?.addressees?.join(', ') ?? 'all'
  console.log(`kailai to ${to}${options?.private ? ', privately' : ''}: ${text}`)
}

/** What the process that gets killed does: it says something, and asks Sarah. */
const crash = async (): Promise<void> => {
  const talk = await open((event) => {
    if (event.type === 'begun') process.kill(process.pid, 'SIGKILL')
  })
  await say(talk, 'Who writes the tests?')
  await talk.send('sarah')
}

const main = async (): Promise<void> => {
  let talk = await open()
  title('ask everybody, in parallel')
  await say(talk, 'Where do the tokens live?')
  for (const { member, turn, error } of await talk.sendAll(['sarah', 'max', 'lee']))
    console.log(`${member}: ${turn?.text ?? error}`)

  title('a private message')
  await say(talk, 'Sarah, the budget is cut. Keep it to yourself.', { to: 'sarah', private: true })
  await send(talk, 'sarah')
  const preview = await talk.preview('max')
  console.log(`Max's next prompt contains it: ${preview.prompt.includes('budget is cut')}`)

  title('a delivery fails, and the next one includes everything')
  const profile = { command: process.execPath, args: ['-e', 'process.exit(1)'], resumeArgs: ['{id}'], output: 'codex' }
  await talk.change('max', { profile })
  await send(talk, 'max')
  await talk.change('max', cli('codex'))
  await send(talk, 'max')
  await talk.close()

  title('the process is killed in the middle of a turn')
  const env = { ...process.env, TEAM_DIRECTORY: directory }
  const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, ...process.argv.slice(2)], {
    env,
    stdio: 'inherit',
  })
  const [, signal] = await once(child, 'exit')
  console.log(`(ended by ${signal})`)

  title('another process takes over')
  talk = await open((event) => {
    if (event.type === 'in-doubt') console.log(`${event.member} may have seen the prompt: its session is not resumed.`)
  })
  console.log(`${talk.messages().length} messages; the latest: ${talk.messages().at(-1)?.content}`)
  await send(talk, 'sarah')

  title('another agent takes over from Sarah')
  await talk.change('sarah', cli('codex'))
  await say(talk, 'Please sum up.', { to: 'sarah' })
  await send(talk, 'sarah')

  title('the conversation')
  for (const { id, speaker, content } of talk.messages()) console.log(`${id} ${speaker.id}: ${content}`)
  await talk.close()
  await rm(directory, { recursive: true })
}

const work = process.env['TEAM_DIRECTORY'] === undefined ? main : crash
work().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
