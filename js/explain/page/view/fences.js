'use strict'
/** The lines of a fenced prompt that begin messages and end sections. */
const { element, textNodes } = require('./dom.js')

/** The key of a fenced prompt, from the line at its top; empty if there is none. @param {string} top */
const keyOf = (top) => /"=== ([\da-zA-Z]{12})"/.exec(top)?.[1] ?? ''

/** A text with the lines of a fence marked. @param {string} text @param {string} key @param {string} wanted */
const fencedNodes = (text, key, wanted) => {
  if (key === '') return textNodes(text, wanted)
  return text
    .split(new RegExp(`^(=== ${key}.*)$`, 'm'))
    .flatMap((piece, at) =>
      at % 2 === 1 ? [element('span.fence', {}, ...textNodes(piece, wanted))] : textNodes(piece, wanted),
    )
}

module.exports = { fencedNodes, keyOf }
