'use strict'
/** Parts of messages as texts for people. */

/** @param {unknown} value */
const asText = (value) => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

/** @param {import('../../index.d.ts').MessagePart} part @returns {{ title: string, text: string }} */
const partText = (part) => {
  switch (part.type) {
    case 'text':
      return { title: 'text', text: part.text }
    case 'reasoning':
      return { title: 'reasoning', text: part.text }
    case 'tool-call':
      return { title: `tool call: ${part.name}`, text: asText(part.input ?? {}) }
    case 'tool-result':
      return { title: part.isError ? 'tool result: error' : 'tool result', text: asText(part.output ?? '') }
    default:
      return { title: `file: ${part.name ?? part.mediaType}`, text: part.url ?? part.mediaType }
  }
}

module.exports = { partText }
