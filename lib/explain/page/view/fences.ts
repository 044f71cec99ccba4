/** The lines of a fenced prompt that begin messages and end sections. */
import { element, textNodes } from './dom.js'

/** The key of a fenced prompt, from the line at its top; empty if there is none. */
export const keyOf = (top: string) => /"=== ([\da-zA-Z]{12})"/.exec(top)?.[1] ?? ''

/** A text with the lines of a fence marked. */
export const fencedNodes = (text: string, key: string, wanted: string) => {
  if (key === '') return textNodes(text, wanted)
  return text
    .split(new RegExp(`^(=== ${key}.*)$`, 'm'))
    .flatMap((piece, at) =>
      at % 2 === 1 ? [element('span.fence', ...textNodes(piece, wanted))] : textNodes(piece, wanted),
    )
}
