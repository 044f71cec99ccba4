/**
 * The assemblers for a system text, a task, a summary, messages and a current message that all fit except
 * for messages: a line after another, from the newest on. Fast enough for megabytes.
 */
import type { AssemblerInput, PromptContextMessage } from 'promptmason'
import { expect } from 'vitest'
import { byteLength, type Agent } from './assemblers.js'
import { TITLES, onOneLine } from './reference.js'

const lineOf = (agent: Agent, message: PromptContextMessage): string => {
  const [from, to, content] = [
    onOneLine(message.from),
    onOneLine([message.to || 'all'].flat().join(', ')),
    message.content,
  ]
  if (agent === 'plain') return `${from}: ${content}`
  return agent === 'gemini' ? `- ${from}: ${content}` : `- ${from} -> ${to}: ${content}`
}

export interface Simple extends AssemblerInput {
  systemInstruction?: string | undefined
}

/** The prompt with the system text in it. */
export const simplePrompt = (agent: Agent, input: Simple, step = 1): string => {
  const titles = TITLES[agent]
  const section = (title: string, text: string): string => (title && text ? `${title}\n${text}` : text)
  const before = [
    section(titles.system, input.systemInstruction ?? ''),
    section(titles.teamTask, input.teamTask ?? ''),
    section(titles.summary, input.summary ?? ''),
  ]
  const after = [section(titles.message, input.currentMessage)]
  const join = (sections: string[]): string => sections.filter(Boolean).join('\n\n').toWellFormed()

  const others = byteLength(join([...before, ...after]))
  let room = input.maxBytes - others - byteLength(titles.context && `${titles.context}\n`) - (others ? 2 : 0)
  const { contextMessages } = input
  const lines = contextMessages.map((message) =>
    lineOf(agent, { ...message, content: message.content.toWellFormed() }).toWellFormed(),
  )
  let first = lines.length
  while (first > 0) {
    room -= byteLength(lines[first - 1] ?? '')
    if (room < 0) break
    room -= 1
    first -= 1
  }
  first = Math.min(lines.length, Math.ceil(first / step) * step)
  return join([...before, section(titles.context, lines.slice(first).join('\n')), ...after])
}

/** Two texts are the same; megabytes are not printed if they are not. */
export const expectSame = (one: string, other: string): void => {
  if (one === other) return
  const length = Math.min(one.length, other.length)
  let at = 0
  while (at < length && one[at] === other[at]) at += 1
  const around = (text: string) => ({ length: text.length, at, around: text.slice(Math.max(0, at - 40), at + 40) })
  expect(around(one)).toEqual(around(other))
  throw new Error('the texts differ')
}
