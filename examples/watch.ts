/**
 * A coordinator's screen: three agents at work, side by side, drawn from the events of their turns.
 *
 *     node --import tsx examples/watch.ts           with small programs instead of the CLIs
 *     node --import tsx examples/watch.ts --real    with the CLIs, in a new directory
 *
 * In a terminal, the screen is redrawn with every event. Elsewhere, only the last screen is printed.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DeliveryEvent, type DeliveryResult, buildPrompt, deliver, planDelivery } from 'promptmason'

const TASKS = [
  { agent: 'claude', task: 'Fix the test of the cache.' },
  { agent: 'codex', task: 'Review the fix.' },
  { agent: 'gemini', task: 'Write the line for the changelog.' },
]

const isReal = process.argv.includes('--real')
const speed = process.env['WATCH_SPEED'] ?? '1'

const paint = (code: number, text: string): string => `\u001b[${code}m${text}\u001b[0m`
const dim = (text: string): string => paint(2, text)

/** Terminals draw some characters two columns wide. */
const isWide = (character: string): boolean =>
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]/u.test(character)
const widthOf = (text: string): number => [...text].reduce((sum, each) => sum + (isWide(each) ? 2 : 1), 0)

/** Wraps a text into lines of at most this many columns. What an agent says must not move the cursor. */
const wrapped = (text: string, columns: number): string[] => {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    for (const word of paragraph.replaceAll(/\p{Cc}/gu, ' ').split(/(?<= )/)) {
      if (line !== '' && widthOf(line + word.trimEnd()) > columns) {
        lines.push(line.trimEnd())
        line = ''
      }
      for (const character of word) {
        if (widthOf(line + character) > columns) {
          lines.push(line)
          line = ''
        }
        line += character
      }
    }
    lines.push(line.trimEnd())
  }
  return lines
}

/** One agent's column. */
class Column {
  state = 'starting'
  readonly #entries: { text: string; color: number }[] = []
  /** What the turn has cost, once it is over. */
  #used = ''
  /** Whether the next piece of text continues the last entry. */
  #isSpeaking = false

  constructor(
    readonly agent: string,
    readonly task: string,
  ) {}

  #add(text: string, color: number): void {
    this.#entries.push({ text, color })
    this.#isSpeaking = false
  }

  see(event: DeliveryEvent): void {
    switch (event.type) {
      case 'text': {
        const last = this.#entries.at(-1)
        if (this.#isSpeaking && last !== undefined) last.text += event.text
        else this.#add(event.text, 39)
        this.#isSpeaking = true
        this.state = 'speaking'
        break
      }
      case 'reasoning':
        this.#add(event.text, 2)
        this.state = 'thinking'
        break
      case 'tool-call':
        this.#add(`▸ ${event.name} ${Object.values(event.input ?? {}).join(' ')}`, 36)
        this.state = `running ${event.name}`
        break
      case 'tool-result':
        this.#add(
          `  ${event.isError === true ? '✗' : '✓'} ${event.output.split('\n')[0]}`,
          event.isError === true ? 31 : 32,
        )
        this.state = 'working'
        break
      case 'permission':
        this.#add(`! ${event.name}: ${event.decision}`, 33)
        break
      case 'retry':
        this.#add(`↻ ${event.reason}${event.afterMs === undefined ? '' : `, again in ${event.afterMs / 1000} s`}`, 33)
        this.state = 'waiting for the provider'
        break
      case 'session':
        this.state = 'connected'
        break
      case 'plan':
      case 'usage':
      case 'notice':
        break
      default: {
        const never: never = event
        throw new Error(`an unknown event: ${JSON.stringify(never)}`)
      }
    }
  }

  end({ text, error, usage, costUsd, durationMs }: DeliveryResult): void {
    this.state = text === undefined ? `failed: ${error?.code}` : `done in ${(durationMs / 1000).toFixed(0)} s`
    if (usage !== undefined) this.#used = `${usage.inputTokens ?? 0} tokens in, ${usage.outputTokens ?? 0} out`
    if (costUsd !== undefined) this.#used += `, $${costUsd.toFixed(2)}`
  }

  fail(error: unknown): void {
    this.state = `failed: ${error instanceof Error ? error.message : String(error)}`
  }

  /** The column as exactly this many lines. */
  lines(columns: number, rows: number): string[] {
    const fit = (text: string, color: number): string => {
      const [first = ''] = wrapped(text, columns)
      return paint(color, first) + ' '.repeat(Math.max(0, columns - widthOf(first)))
    }
    const body = this.#entries.flatMap(({ text, color }) => wrapped(text, columns).map((line) => fit(line, color)))
    const room = rows - 5
    const shown = body.slice(-room)
    return [
      fit(this.agent, 1),
      fit(this.task, 2),
      dim('─'.repeat(columns)),
      ...shown,
      ...Array.from({ length: room - shown.length }, () => ' '.repeat(columns)),
      fit(`● ${this.state}`, this.state.startsWith('done') ? 32 : this.state.startsWith('failed') ? 31 : 33),
      fit(this.#used, 2),
    ]
  }
}

const columnsOf = TASKS.map(({ agent, task }) => new Column(agent, task))

const screen = (): string => {
  const { columns = 110, rows = 24 } = process.stdout
  const width = Math.floor((columns - 2) / columnsOf.length) - 3
  const drawn = columnsOf.map((column) => column.lines(width, rows - 1))
  const bar = dim('│')
  return Array.from({ length: rows - 1 }, (_, row) => ` ${drawn.map((lines) => lines[row]).join(` ${bar} `)}`).join(
    '\n',
  )
}

const draw = (): void => {
  if (process.stdout.isTTY) process.stdout.write(`\u001b[H${screen()}`)
}

const work = async (column: Column, cwd: string): Promise<void> => {
  const { agent, task } = column
  const output = buildPrompt({ agentType: agent, contextMessages: [], message: task }, { as: 'buffer' })
  const program = fileURLToPath(new URL('watch/stand-in.mjs', import.meta.url))
  const profile = { command: process.execPath, args: [program, agent, speed], output: agent }
  const plan = planDelivery(output, {
    agentType: agent,
    cwd,
    trustWorkspace: isReal,
    profile: isReal ? undefined : profile,
  })
  try {
    const onEvent = (event: DeliveryEvent): void => {
      column.see(event)
      draw()
    }
    column.end(await deliver(plan, { onEvent, timeoutMs: 300_000 }))
  } catch (error) {
    column.fail(error)
  }
  draw()
}

const main = async (): Promise<void> => {
  const cwd = await mkdtemp(join(tmpdir(), 'watch-'))
  if (process.stdout.isTTY) process.stdout.write('\u001b[2J\u001b[?25l')
  try {
    await Promise.all(columnsOf.map((column) => work(column, cwd)))
    if (!process.stdout.isTTY) console.log(screen())
  } finally {
    if (process.stdout.isTTY) process.stdout.write('\u001b[?25h\n')
    await rm(cwd, { recursive: true, force: true })
  }
}

void main()
