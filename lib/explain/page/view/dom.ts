/** Elements. Text only ever becomes a text node: no part of a conversation is parsed as HTML. */
import { visible } from '../visible.js'

/** @param tag With classes: `td.number`. */
export const element = (
  tag: string,
  attributes: { [name: string]: string | number | boolean } = {},
  ...children: (Node | string)[]
): HTMLElement => {
  const [name = 'div', ...classes] = tag.split('.')
  const made = document.createElement(name)
  if (classes.length > 0) made.className = classes.join(' ')
  for (const [key, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(key, value === true ? '' : String(value))
  made.append(...children)
  return made
}

const SVG = 'http://www.w3.org/2000/svg'

export const drawing = (name: string, attributes: { [name: string]: string | number }, ...children: Node[]) => {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  made.append(...children)
  return made
}

/**
 * A table in a box that scrolls by itself, if it is too wide.
 * @param heads A head that begins with # marks a column of numbers.
 */
export const table = (label: string, heads: string[]) => {
  const rows = element('tbody')
  const cells = heads.map((head) =>
    head.startsWith('#')
      ? element('th.number', { scope: 'col' }, head.slice(1))
      : element('th', { scope: 'col' }, head),
  )
  const whole = element('table', { 'aria-label': label }, element('thead', {}, element('tr', {}, ...cells)), rows)
  return { box: element('div.scroll', { tabindex: 0, role: 'region', 'aria-label': label }, whole), rows }
}

/**
 * A text as nodes, with hidden characters named and search matches marked.
 * @param wanted In lower case.
 */
export const textNodes = (text: string, wanted: string = '') => {
  const shown = visible(text)
  if (wanted === '') return [document.createTextNode(shown)]
  const nodes: Node[] = []
  const folded = shown.toLowerCase()
  // Lower-casing may change the length. Then nothing is marked, rather than the wrong letters.
  if (folded.length !== shown.length) return [document.createTextNode(shown)]
  let start = 0
  for (let at = folded.indexOf(wanted); at >= 0 && nodes.length < 400; at = folded.indexOf(wanted, start)) {
    nodes.push(
      document.createTextNode(shown.slice(start, at)),
      element('mark', {}, shown.slice(at, at + wanted.length)),
    )
    start = at + wanted.length
  }
  return [...nodes, document.createTextNode(shown.slice(start))]
}

export const byId = (id: string): HTMLElement => document.getElementById(id) as HTMLElement
