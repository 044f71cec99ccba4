/**
 * A conversation that outgrows its window and outlives its process: a goal is pinned, what no longer
 * fits is summarised, and a CLI that resumes its session gets only what is new. One delivery fails, then
 * the coordinator crashes, and the next one continues from a log of snapshots. Part of `npm run demo`.
 * To run it alone: `npx tsx examples/long-conversation.ts`.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ContextManager } from 'promptmason'

const OPTIONS = { systemInstruction: 'You are Max, an architect.', session: 'delta' } as const

/** Replaces a model: keeps the first sentence of each message. */
const summarise = (contents: string[]): string =>
  contents.map((content) => /^.*?[.?!](?=\s|$)/s.exec(content)?.[0] ?? content).join(' ')

/** Replaces a CLI that keeps its own session. */
class Cli {
  isDown = false

  accept(prompt: string): boolean {
    console.log(prompt.replaceAll(/^/gm, '   │ '))
    return !this.isDown
  }
}

class Coordinator {
  readonly #context = new ContextManager({ contextWindowSize: 2 })
  #stored: string | undefined

  constructor(readonly log: string) {}

  /** A coordinator that continues where the last one stopped. */
  static restart(log: string): Coordinator {
    const coordinator = new Coordinator(log)
    for (const part of readFileSync(log, 'utf8').trimEnd().split('\n')) {
      coordinator.#context.importSnapshot(JSON.parse(part), { append: true })
    }
    coordinator.#stored = coordinator.#context.getLatestMessage()?.id
    return coordinator
  }

  say(id: string, content: string, pinned = false): void {
    this.#context.addMessage({ speaker: { id, type: id === 'kailai' ? 'human' : 'ai' }, content, pinned })
    this.#store()
  }

  /** Sends Max what is new to it. A message counts as seen once the CLI has accepted it. */
  sendToMax(cli: Cli): void {
    const { prompt, report } = this.#context.assembleForAgent('max', 'codex', OPTIONS, { report: true })
    const { mode, since } = report.session ?? {}
    console.log(`\n── to max: ${mode}${since === undefined ? '' : `, after ${since}`}, ${report.totalBytes} bytes`)
    if (!cli.accept(prompt)) return console.log('   ✗ not delivered: the next prompt repeats all of it')
    this.#context.confirm('max')
    this.#store()
    console.log('   ✓ accepted')
  }

  /** Summarises what Sarah's prompts leave out. Sarah has no session, so these prompts are whole. */
  sumUp(): void {
    const { messages, bytes, upTo } = this.#context.overflow('sarah', 'gemini')
    if (upTo === null) return
    const known = this.#context.getSummary()?.text
    const text = summarise(messages.map(({ content }) => content))
    this.#context.setSummary({ upTo, text: known === undefined ? text : `${known} ${text}` })
    this.#store()
    console.log(
      `\n── ${messages.length} messages up to ${upTo} no longer fit (${bytes} bytes), summarised for whoever has not seen them`,
    )
  }

  sendToSarah(cli: Cli): void {
    const { prompt } = this.#context.assembleForAgent('sarah', 'gemini')
    console.log('\n── to sarah: whole')
    cli.accept(prompt)
  }

  /** Appends what is new to the log. */
  #store(): void {
    appendFileSync(this.log, `${JSON.stringify(this.#context.exportSnapshot({ after: this.#stored }))}\n`)
    this.#stored = this.#context.getLatestMessage()?.id
  }
}

export const showLongConversation = (): void => {
  const folder = mkdtempSync(join(tmpdir(), 'long-conversation-'))
  try {
    const [max, sarah] = [new Cli(), new Cli()]
    const first = new Coordinator(join(folder, 'log.jsonl'))
    console.log('\n━━━ a long conversation ━━━')
    first.say('kailai', 'Goal: nobody types a password.', true)
    first.say('kailai', 'Max, how do we start? Take your time.')
    first.sendToMax(max)
    first.say('max', 'With passkeys. They are in every browser.')
    first.say('sarah', 'Old phones have none. I would send a link.')
    max.isDown = true
    first.sendToMax(max)
    max.isDown = false
    first.say('kailai', 'Good idea, Sarah. Max, do you agree?')
    first.sendToMax(max)
    first.say('max', 'A link is fine for those. It must expire.')
    first.say('kailai', 'Sarah, after how many minutes?')
    first.sumUp()
    first.sendToSarah(sarah)

    console.log('\n── the coordinator crashes; another one restores the log')
    const second = Coordinator.restart(first.log)
    second.say('sarah', 'After ten. Mail is slow.')
    second.sendToMax(max)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) showLongConversation()
