/** The messages of the conversation, a row each. Rows are created a few at a time, so that the page appears immediately. */
import { isSent } from '../state.js'
import { grouped, inUnit, messageName, namesText, reasonText, sizeIn, visibleLine, type Unit } from '../words.js'
import { element, textBox, textNodes } from './dom.js'
import type { ShownMessage, ShownText, Turn } from '../../turn.js'

/** What a reader has searched for and opened, to be shown again, and what stands below an open message. */
export type Memory = {
  search: string
  filter: string
  open: Set<number>
  toolsOf?: (message: ShownMessage) => HTMLElement
}

const PEEK = 160
const FIRST_ROWS = 60
const MORE_ROWS = 300
const MOST_MARKS = 3
const LONGEST_NAME = 16
const FATES: { [fate: string]: string } = {
  kept: 'kept',
  pinned: 'kept, pinned',
  shortened: 'kept, shortened',
  fails: 'does not fit',
  step: 'dropped: step',
}

const fateText = (fate: string) => FATES[fate] ?? `dropped: ${reasonText(fate)}`

/** A text that may lack its middle in this page. */
export const shownNodes = (
  { head, tail, missing }: ShownText,
  wanted: string,
  nodesOf: (text: string) => Node[] = (text) => textNodes(text, wanted),
) => {
  if (missing === 0) return nodesOf(head)
  const note = element('span.missing', `\n[this page leaves out ${grouped(missing)} characters here]\n`)
  return [...nodesOf(head), note, ...nodesOf(tail)]
}

/** The first search match in a text, with some text around it. */
export const around = ({ head, tail }: ShownText, wanted: string) => {
  for (const piece of [head, tail]) {
    const at = piece.toLowerCase().indexOf(wanted)
    if (at >= 0) return visibleLine(piece.slice(Math.max(0, at - 30), at + PEEK))
  }
  const shown = visibleLine(head.slice(0, PEEK))
  return shown.toLowerCase().includes(wanted) ? shown : undefined
}

const matchesFilter = (fate: string, filter: string) =>
  filter === '' || (filter === 'pinned' ? fate === 'pinned' : isSent(fate) === (filter === 'sent'))

const textsOf = ({ text, parts }: ShownMessage) => parts?.map((part) => part.text) ?? [text]

const matches = (message: ShownMessage, wanted: string) =>
  wanted === '' ||
  namesText(message).toLowerCase().includes(wanted) ||
  messageName(message).toLowerCase().includes(wanted) ||
  message.parts?.some(({ title }) => title.toLowerCase().includes(wanted)) === true ||
  textsOf(message).some((text) => around(text, wanted) !== undefined)

const partMarks = ({ parts = [] }: ShownMessage) => {
  const others = parts.filter(({ kind }) => kind !== 'text')
  const trail = others.filter(({ kind }) => kind !== 'reasoning')
  return (trail.length > 0 ? trail : others)
    .slice(0, MOST_MARKS)
    .map(({ kind, title }) => element(`span.part.kind-${kind}`, visibleLine(title.split(': ').at(-1) ?? '')))
}

/** The size of a line. A result stands in the line of its call. */
const sizeText = ({ bytes, tokens, parts }: ShownMessage, unit: Unit) =>
  bytes === 0 && parts !== undefined ? 'with its call' : grouped(inUnit(unit, bytes, tokens))

const messageRow = (message: ShownMessage, unit: Unit, memory: Memory) => {
  const { index, id, text, parts } = message
  const size = element('span.number', { title: sizeIn(message.bytes, 'bytes') })
  const fate = element('span.fate')
  const peek = element('span.peek')
  const marks = partMarks(message)
  const title = id === undefined ? `number ${index}` : `${visibleLine(id)}, number ${index} of the conversation`
  const name = element('span.soft.name', { title }, messageName(message))
  const summary = element('summary', name, element('span.text', namesText(message)), size, fate, peek)
  const details = element('details', { open: memory.open.has(index) }, summary)
  const node = element('li', details)
  let [shownFate, marked] = ['', '?']

  /** The search text that it was last filled for; null if closed. */
  let filled: string | null = null

  const fill = () => {
    const wanted = details.hasAttribute('open') ? marked : null
    // A row created open fires its `toggle` event later: keep the focus where it is by then.
    if (wanted === filled) return
    filled = wanted
    for (const old of details.querySelectorAll('pre, h4, .row-tools')) old.remove()
    if (wanted === null) memory.open.delete(index)
    else memory.open.add(index)
    if (wanted === null) return
    const boxOf = (shown: ShownText, label: string) => textBox(label, ...shownNodes(shown, marked))
    if (parts === undefined) details.append(boxOf(text, `Text of message ${messageName(message)}`))
    for (const part of parts ?? []) {
      const head = visibleLine(part.title)
      details.append(element(`h4.kind-${part.kind}`, head), boxOf(part.text, head))
    }
    if (memory.toolsOf !== undefined) details.append(memory.toolsOf(message))
  }
  details.addEventListener('toggle', fill)
  return {
    node,
    mark(wanted: string) {
      if (marked === wanted) return
      marked = wanted
      const start = () => visibleLine(text.head.slice(0, PEEK))
      peek.replaceChildren(...marks, ...textNodes(wanted === '' ? start() : (around(text, wanted) ?? start()), wanted))
      fill()
    },
    setFate(next: string) {
      if (next === shownFate) return
      shownFate = next
      node.dataset.fate = next
      fate.textContent = fateText(next)
      // How much of it is left is not known in tokens.
      size.textContent = `${next === 'shortened' ? 'of ' : ''}${sizeText(message, unit)}`
    },
  }
}

export const messageList = ({ messages, unit }: Turn, memory: Memory) => {
  const node = element('ol.messages')
  const longest = messages.reduce((most, message) => Math.max(most, messageName(message).length), 0)
  node.style.setProperty('--name', `${Math.min(longest, LONGEST_NAME) + 3}ch`)
  const rows: ReturnType<typeof messageRow>[] = []
  let fates: string[] = []
  let isFound = messages.map(() => true)
  let wanted = ''

  const update = (at: number) => {
    const row = rows[at]
    if (row === undefined) return
    row.setFate(fates[at] ?? '')
    row.node.hidden = isFound[at] === false
    if (!row.node.hidden) row.mark(wanted)
  }
  const makeRows = (count: number) => {
    // Another prompt is already shown.
    if (rows.length > 0 && !node.isConnected) return
    const end = Math.min(messages.length, rows.length + count)
    const made = messages.slice(rows.length, end).map((message) => messageRow(message, unit, memory))
    rows.push(...made)
    for (let at = end - made.length; at < end; at++) update(at)
    node.append(...made.map((row) => row.node))
    if (rows.length < messages.length) setTimeout(makeRows, 0, MORE_ROWS)
    else node.dataset.complete = ''
  }
  return {
    node,
    show(next: string[]) {
      fates = next
      if (rows.length === 0) makeRows(FIRST_ROWS)
      else rows.forEach((_, at) => update(at))
    },
    /** Returns how many messages are found. */
    search(text: string, filter: string) {
      wanted = text
      isFound = messages.map((message, at) => matchesFilter(fates[at] ?? '', filter) && matches(message, wanted))
      rows.forEach((_, at) => update(at))
      return isFound.filter(Boolean).length
    },
  }
}
