'use strict'
/** The messages of the conversation, a row each. Rows are created a few at a time, so that the page appears immediately. */
const { isSent } = require('../state.js')
const { visibleLine } = require('../visible.js')
const { grouped, messageName, reasonText, sizeIn } = require('../words.js')
const { element, textNodes } = require('./dom.js')

/** @typedef {import('../../turn.js').Turn} Turn */
/** @typedef {import('../../turn.js').ShownText} ShownText */
/** @typedef {import('../../turn.js').ShownMessage} ShownMessage */
/**
 * @typedef {{ search: string, filter: string, open: Set<number>, toolsOf?: (message: ShownMessage) => HTMLElement }} Memory
 * What a reader has searched for and opened, to be shown again, and what stands below an open message.
 */

const PEEK = 160
const FIRST_ROWS = 60
const MORE_ROWS = 300
/** How many parts of a message are named in its row. */
const MOST_MARKS = 3
/** The maximum width of message names, in characters. */
const LONGEST_NAME = 16
const FATES = /** @type {{ [fate: string]: string }} */ ({
  kept: 'kept',
  pinned: 'kept, pinned',
  shortened: 'kept, shortened',
  fails: 'does not fit',
})

/** @param {string} fate */
const fateText = (fate) => FATES[fate] ?? `dropped: ${fate === 'step' ? 'step' : reasonText(fate)}`

/**
 * A text that may lack its middle in this page.
 * @param {ShownText} text
 * @param {string} wanted
 * @param {(text: string) => Node[]} [nodesOf]
 */
const shownNodes = ({ head, tail, missing }, wanted, nodesOf = (text) => textNodes(text, wanted)) =>
  missing === 0
    ? nodesOf(head)
    : [
        ...nodesOf(head),
        element('span.missing', {}, `\n[this page leaves out ${grouped(missing)} characters here]\n`),
        ...nodesOf(tail),
      ]

/** The first search match in a text, with some text around it. @param {ShownText} text @param {string} wanted */
const around = ({ head, tail }, wanted) => {
  for (const piece of [head, tail]) {
    const at = piece.toLowerCase().indexOf(wanted)
    if (at >= 0) return visibleLine(piece.slice(Math.max(0, at - 30), at + PEEK))
  }
  const shown = visibleLine(head.slice(0, PEEK))
  return shown.toLowerCase().includes(wanted) ? shown : undefined
}

/** @param {string} fate @param {string} filter */
const matchesFilter = (fate, filter) =>
  filter === '' || (filter === 'pinned' ? fate === 'pinned' : isSent(fate) === (filter === 'sent'))

/** @param {ShownMessage} message */
const textsOf = ({ text, parts }) => parts?.map((part) => part.text) ?? [text]

const namesOf = (/** @type {ShownMessage} */ { from, to }) => visibleLine(`${from} → ${to}`)

/** @param {ShownMessage} message @param {string} wanted */
const matches = (message, wanted) =>
  wanted === '' ||
  namesOf(message).toLowerCase().includes(wanted) ||
  messageName(message).toLowerCase().includes(wanted) ||
  message.parts?.some(({ title }) => title.toLowerCase().includes(wanted)) === true ||
  textsOf(message).some((text) => around(text, wanted) !== undefined)

/** The parts of a message other than text. @param {ShownMessage} message */
const partMarks = ({ parts = [] }) => {
  const others = parts.filter(({ kind }) => kind !== 'text')
  const trail = others.filter(({ kind }) => kind !== 'reasoning')
  return (trail.length > 0 ? trail : others)
    .slice(0, MOST_MARKS)
    .map(({ kind, title }) => element(`span.part.kind-${kind}`, {}, visibleLine(title.split(': ').at(-1) ?? '')))
}

/** The size of a line. A result stands in the line of its call. @param {ShownMessage} message @param {import('../words.js').Unit} unit */
const sizeText = ({ bytes, tokens = 0, parts }, unit) =>
  bytes === 0 && parts !== undefined ? 'with its call' : grouped(unit === 'tokens' ? tokens : bytes)

/** @param {ShownMessage} message @param {import('../words.js').Unit} unit @param {Memory} memory */
const messageRow = (message, unit, memory) => {
  const { index, id, text, parts } = message
  const size = element('span.number', { title: sizeIn(message.bytes, 'bytes') })
  const fate = element('span.fate')
  const peek = element('span.peek')
  const marks = partMarks(message)
  const summary = element(
    'summary',
    {},
    element(
      'span.soft.name',
      { title: id === undefined ? `number ${index}` : `${visibleLine(id)}, number ${index} of the conversation` },
      messageName(message),
    ),
    element('span.text', {}, namesOf(message)),
    size,
    fate,
    peek,
  )
  const details = element('details', memory.open.has(index) ? { open: true } : {}, summary)
  const node = element('li', {}, details)
  let [shownFate, marked] = ['', '?']

  /** The search text that it was last filled for; null if closed. @type {string | null} */
  let filled = null

  const fill = () => {
    const wanted = details.hasAttribute('open') ? marked : null
    // A row created open fires its `toggle` event later: keep the focus where it is by then.
    if (wanted === filled) return
    filled = wanted
    for (const old of details.querySelectorAll('pre, h4, .row-tools')) old.remove()
    if (wanted === null) memory.open.delete(index)
    else memory.open.add(index)
    if (wanted === null) return
    const boxOf = (/** @type {ShownText} */ shown, /** @type {string} */ label) =>
      element('pre', { tabindex: 0, 'aria-label': label }, ...shownNodes(shown, marked))
    if (parts === undefined) details.append(boxOf(text, `Text of message ${messageName(message)}`))
    for (const part of parts ?? []) {
      const title = visibleLine(part.title)
      details.append(element(`h4.kind-${part.kind}`, {}, title), boxOf(part.text, title))
    }
    if (memory.toolsOf !== undefined) details.append(memory.toolsOf(message))
  }
  details.addEventListener('toggle', fill)
  return {
    node,
    mark(/** @type {string} */ wanted) {
      if (marked === wanted) return
      marked = wanted
      const start = () => visibleLine(text.head.slice(0, PEEK))
      peek.replaceChildren(...marks, ...textNodes(wanted === '' ? start() : (around(text, wanted) ?? start()), wanted))
      fill()
    },
    setFate(/** @type {string} */ next) {
      if (next === shownFate) return
      shownFate = next
      node.dataset.fate = next
      fate.textContent = fateText(next)
      // How much of it is left is not known in tokens.
      size.textContent = `${next === 'shortened' ? 'of ' : ''}${sizeText(message, unit)}`
    },
  }
}

/** @param {Turn} turn @param {Memory} memory */
const messageList = ({ messages, unit }, memory) => {
  const node = element('ol.messages')
  const longest = messages.reduce((most, message) => Math.max(most, messageName(message).length), 0)
  node.style.setProperty('--name', `${Math.min(longest, LONGEST_NAME) + 3}ch`)
  /** @type {ReturnType<typeof messageRow>[]} */
  const rows = []
  /** @type {string[]} */
  let fates = []
  let isFound = messages.map(() => true)
  let wanted = ''

  const update = (/** @type {number} */ at) => {
    const row = rows[at]
    if (row === undefined) return
    row.setFate(fates[at] ?? '')
    row.node.hidden = isFound[at] === false
    if (!row.node.hidden) row.mark(wanted)
  }
  const makeRows = (/** @type {number} */ count) => {
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
    show(/** @type {string[]} */ next) {
      fates = next
      if (rows.length === 0) makeRows(FIRST_ROWS)
      else rows.forEach((_, at) => update(at))
    },
    /** Returns how many messages are found. */
    search(/** @type {string} */ text, /** @type {string} */ filter) {
      wanted = text
      isFound = messages.map((message, at) => matchesFilter(fates[at] ?? '', filter) && matches(message, wanted))
      rows.forEach((_, at) => update(at))
      return isFound.filter(Boolean).length
    },
  }
}

module.exports = { around, messageList, shownNodes }
