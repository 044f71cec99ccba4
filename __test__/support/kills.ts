/* oxlint-disable no-await-in-loop -- one process after another */
/** Repeatedly kills a process that writes to a conversation, and checks what is left. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConversationStore, openConversation } from 'promptmason'
import { expect } from 'vitest'
import { root } from './documents.js'
import { newDirectory } from './processes.js'

const TALKER = join(root, '__test__', 'support', 'talker.cjs')
/** As many as this process can be killed at, in one round of the loop and the next. */
const MOST_POINTS = 40
const tokensIn = (text: string): string[] => text.match(/⟦[\w-]+⟧/g) ?? []

export interface Kills {
  kills: number
  /** How many calls had returned. */
  returned: number
  messages: number
  /** How many stored sessions were added. */
  adopted: number
  sessions: number
  resumed: number
}

/** A process that writes to a conversation until it is killed, at a given point or from outside. */
export class Talker {
  readonly child
  /** What its calls have returned. */
  readonly told: { id: string; content: string }[] = []
  readonly ended: Promise<{ code: number | null; signal: string | null }>
  complaint = ''
  #isOpen = false
  #wake = (): void => {}

  constructor(place: string, sessions: string, points = 0) {
    this.child = spawn(process.execPath, [TALKER, place, sessions, `${points}`], { stdio: ['ignore', 'pipe', 'pipe'] })
    this.child.stderr.on('data', (chunk) => (this.complaint += chunk))
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        resolve({ code, signal })
        this.#wake()
      })
    })
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const value = JSON.parse(line)
      if (value === 'open') this.#isOpen = true
      else this.told.push(value)
      this.#wake()
    })
  }

  /** Whether it gets to own the conversation. */
  async opens(): Promise<boolean> {
    await this.#until(() => this.#isOpen)
    return this.#isOpen
  }

  /** Waits until it has added this many more messages. */
  async says(count: number): Promise<void> {
    const wanted = this.told.length + count
    await this.#until(() => this.told.length >= wanted)
  }

  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone() && this.child.exitCode === null && this.child.signalCode === null) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** One process, until it is killed: at a point, or after a while. */
const untilKilled = async (place: string, sessions: string) => {
  const isTimed = Math.random() < 0.3
  const talker = new Talker(place, sessions, isTimed ? 0 : 1 + Math.floor(Math.random() * MOST_POINTS))
  if (isTimed && (await talker.opens())) {
    await sleep(Math.random() * 40)
    talker.child.kill('SIGKILL')
  }
  const { code, signal } = await talker.ended
  // Windows has no signals: a process that kills itself ends with a code.
  const isKilled = signal === 'SIGKILL' || (process.platform === 'win32' && code === 1 && talker.complaint === '')
  if (!isKilled && code !== 3) throw new Error(`the talker ended with ${code}: ${talker.complaint}`)
  return { told: talker.told, isKilled }
}

/** Kills this many processes, one after another. */
export const survive = async (place: string, store: ConversationStore, kills: number): Promise<Kills> => {
  const sessions = newDirectory()
  const told: { id: string; content: string }[] = []
  for (let killed = 0; killed < kills; ) {
    const round = await untilKilled(place, sessions)
    told.push(...round.told)
    killed += Number(round.isKilled)
    if (!round.isKilled) await sleep(50)
  }
  let talk
  while (talk === undefined) {
    talk = await openConversation({ id: 'killed', store, members: { kailai: { human: true } } }).catch(
      async (error) => {
        if (error.code !== 'ERR_CONFLICT') throw error
        await sleep(50)
        return undefined
      },
    )
  }
  const messages = talk.messages()
  await talk.close()

  // Nothing that was returned is lost or duplicated.
  const contents = new Map(messages.map(({ id, content }) => [id, content]))
  expect(contents.size).toBe(messages.length)
  expect(messages.map(({ id }) => id)).toEqual(messages.map((_, index) => `msg-${index + 1}`))
  for (const { id, content } of told) expect(contents.get(id)).toBe(content)
  const order = new Map(messages.map(({ content }, index) => [tokensIn(content)[0], index]))
  expect(order.size).toBe(messages.length)

  // What was adopted is there as a whole, and once.
  const adopted = messages.flatMap(({ content }) => /^\d of session \d+/.exec(content) ?? [])
  expect(new Set(adopted).size).toBe(adopted.length)
  for (const part of adopted) {
    const session = part.slice(1)
    for (const index of [0, 1, 2]) expect(adopted).toContain(`${index}${session}`)
  }

  // Each session reads in order, and has everything once.
  let resumed = 0
  const files = readdirSync(sessions)
  for (const name of files) {
    const [member = ''] = name.split('-')
    const turns = readFileSync(join(sessions, name), 'utf8')
      .split('\n')
      // The last one is empty, or was cut off by a kill.
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    resumed += turns.filter(({ isResumed }) => isResumed).length
    const all = turns.flatMap(({ prompt }) => tokensIn(prompt))
    expect(new Set(all).size).toBe(all.length)
    const others = all.map((token) => order.get(token)).filter((at) => messages[at ?? -1]?.speaker.id !== member)
    expect(others).not.toContain(undefined)
    expect(others).toEqual(others.toSorted((a = 0, b = 0) => a - b))
  }
  const counts = { returned: told.length, messages: messages.length, adopted: adopted.length / 3 }
  return { kills, ...counts, sessions: files.length, resumed }
}
