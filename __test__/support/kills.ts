/* oxlint-disable no-await-in-loop -- one process after another */
/** Kills a process that speaks in a conversation, again and again, and looks at what is left. */
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
  sessions: number
  resumed: number
}

/** One process, until it is killed: at a point, or after a while. Answers what it was told. */
const untilKilled = async (
  place: string,
  sessions: string,
): Promise<{ told: { id: string; content: string }[]; isKilled: boolean }> => {
  const isTimed = Math.random() < 0.3
  const points = isTimed ? 0 : 1 + Math.floor(Math.random() * MOST_POINTS)
  const child = spawn(process.execPath, [TALKER, place, sessions, `${points}`], { stdio: ['ignore', 'pipe', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (chunk) => (complaint += chunk))
  const told: { id: string; content: string }[] = []
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  )
  createInterface({ input: child.stdout }).on('line', (line) => {
    const value = JSON.parse(line)
    if (value !== 'open') told.push(value)
    else if (isTimed) void sleep(Math.random() * 40).then(() => child.kill('SIGKILL'))
  })
  const { code, signal } = await exited
  if (signal !== 'SIGKILL' && code !== 3) throw new Error(`the talker ended with ${code}: ${complaint}`)
  return { told, isKilled: signal === 'SIGKILL' }
}

/** Kills so many processes, one after another. */
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

  // Nothing that was returned is lost, and nothing is there twice.
  const contents = new Map(messages.map(({ id, content }) => [id, content]))
  expect(contents.size).toBe(messages.length)
  expect(messages.map(({ id }) => id)).toEqual(messages.map((_, index) => `msg-${index + 1}`))
  for (const { id, content } of told) expect(contents.get(id)).toBe(content)
  const order = new Map(messages.map(({ content }, index) => [tokensIn(content)[0], index]))
  expect(order.size).toBe(messages.length)

  // Each session reads in order, and has everything once.
  let resumed = 0
  const files = readdirSync(sessions)
  for (const name of files) {
    const [member = ''] = name.split('-')
    const turns = readFileSync(join(sessions, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    resumed += turns.filter(({ isResumed }) => isResumed).length
    const all = turns.flatMap(({ prompt }) => tokensIn(prompt))
    expect(new Set(all).size).toBe(all.length)
    const others = all.map((token) => order.get(token)).filter((at) => messages[at ?? -1]?.speaker.id !== member)
    expect(others).not.toContain(undefined)
    expect(others).toEqual(others.toSorted((a = 0, b = 0) => a - b))
  }
  return { kills, returned: told.length, messages: messages.length, sessions: files.length, resumed }
}
