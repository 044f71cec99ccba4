/** Messages of a transcript as lines. */
import type { MessagePart } from 'promptmason'

export const partText = (part: MessagePart): string => {
  if (part.type === 'text') return part.text
  if (part.type === 'reasoning') return `(${part.text})`
  if (part.type === 'tool-call') return `${part.name} ${JSON.stringify(part.input)}`
  if (part.type === 'tool-result') return `-> ${JSON.stringify(part.output)}${part.isError === true ? ' failed' : ''}`
  return part.type
}

export const shown = (messages: readonly { speaker: { id: string }; parts: readonly MessagePart[] }[]): string[] =>
  messages.map(({ speaker, parts }) => `${speaker.id}: ${parts.map(partText).join(' | ')}`)
