/** Elements. Text only ever becomes a text node: no part of a conversation is parsed as HTML. */
import { partName, visible } from '../words.js'

export type Attributes = { [name: string]: string | number | boolean }
export type Child = Node | string

export type ElementOf<Tag extends string> = Tag extends `${infer Name}.${string}`
  ? ElementOf<Name>
  : Tag extends keyof HTMLElementTagNameMap
    ? HTMLElementTagNameMap[Tag]
    : HTMLElement

/** Attributes, which can be left out, and what is inside. */
type Content = [Attributes, ...Child[]] | Child[]

const filled = <Made extends Element>(made: Made, content: Content) => {
  for (const each of content) {
    if (typeof each === 'string' || each instanceof Node) made.append(each)
    else
      for (const [key, value] of Object.entries(each))
        if (value !== false) made.setAttribute(key, value === true ? '' : String(value))
  }
  return made
}

/** @param tag With classes: `td.number`. */
export const element = <Tag extends string>(tag: Tag, ...content: Content) => {
  const [name = 'div', ...classes] = tag.split('.')
  const made = document.createElement(name)
  if (classes.length > 0) made.className = classes.join(' ')
  return filled(made, content) as Element as ElementOf<Tag>
}

export const drawing = (name: string, ...content: Content) =>
  filled(document.createElementNS('http://www.w3.org/2000/svg', name), content)

export const button = (label: string, onClick: () => void, attributes: Attributes = {}) => {
  const made = element('button', { type: 'button', ...attributes }, label)
  made.addEventListener('click', onClick)
  return made
}

export const textBox = (label: string, ...children: Child[]) =>
  element('pre', { tabindex: 0, 'aria-label': label }, ...children)

export const section = (title: string, children: Child[], id: string | false = false) =>
  element('section', { id }, element('h2', title), ...children)

/** A choice of values, each with its text. */
export const choiceOf = (options: (readonly [value: string | number, text: string])[]) =>
  element('select', ...options.map(([value, text]) => element('option', { value }, text)))

/**
 * A bar to scale.
 * @param pieces Each with its class and its title.
 */
export const fillBar = (bar: HTMLElement, whole: number, pieces: { name: string; title: string; size: number }[]) => {
  const made = pieces
    .filter(({ size }) => size > 0)
    .map(({ name, title, size }) => {
      const piece = element(`i.${name}`, { title })
      piece.style.flexBasis = `${(size / Math.max(1, whole)) * 100}%`
      return piece
    })
  bar.replaceChildren(...made)
}

/** The name of a part of a prompt, with its colour. */
export const partLabel = (name: string) => element('span', element(`span.swatch.part-${name}`), partName(name))

/**
 * A table in a box that scrolls by itself, if it is too wide.
 * @param columns The head of each, and what stands below it. A head that begins with # marks numbers.
 */
export const table = <Row>(label: string, columns: [head: string, cell: (row: Row, at: number) => Child][]) => {
  const body = element('tbody')
  const isNumber = (head: string) => head.startsWith('#')
  const heads = columns.map(([head]) =>
    element(isNumber(head) ? 'th.number' : 'th', { scope: 'col' }, head.replace('#', '')),
  )
  const rowOf = (row: Row, at: number) =>
    element(
      'tr',
      ...columns.map(([head, cell], place) =>
        element(isNumber(head) ? 'td.number' : place === 0 ? 'td' : 'td.text', cell(row, at)),
      ),
    )
  const whole = element('table', { 'aria-label': label }, element('thead', element('tr', ...heads)), body)
  return {
    box: element('div.scroll', { tabindex: 0, role: 'region', 'aria-label': label }, whole),
    show(rows: Row[]) {
      const made = rows.map(rowOf)
      body.replaceChildren(...made)
      return made
    },
  }
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
    nodes.push(document.createTextNode(shown.slice(start, at)), element('mark', shown.slice(at, at + wanted.length)))
    start = at + wanted.length
  }
  return [...nodes, document.createTextNode(shown.slice(start))]
}

export const byId = (id: string): HTMLElement => document.getElementById(id) as HTMLElement
