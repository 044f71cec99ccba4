/** Parts of messages as texts for people. */
import type { MessagePart } from '../messages/parts.js'

const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

/** @returns `kind` is `error` for the result of a call that failed. */
export const partText = (part: MessagePart): { kind: string; title: string; text: string } => {
  switch (part.type) {
    case 'text':
      return { kind: 'text', title: 'text', text: part.text }
    case 'reasoning':
      return { kind: 'reasoning', title: 'reasoning', text: part.text }
    case 'tool-call':
      return { kind: 'call', title: `tool call: ${part.name}`, text: asText(part.input ?? {}) }
    case 'tool-result':
      return part.isError
        ? { kind: 'error', title: 'tool result: error', text: asText(part.output ?? '') }
        : { kind: 'result', title: 'tool result', text: asText(part.output ?? '') }
    default:
      return { kind: 'file', title: `file: ${part.name ?? part.mediaType}`, text: part.url ?? part.mediaType }
  }
}
