'use strict'
/** The messages of the conversation, a row each. Rows are made a few at a time, so that the page is there at once. */
const { visibleLine } = require('../visible.js')
const { grouped, reasonText } = require('../words.js')
const { element, textNodes } = require('./dom.js')

/** @typedef {import('../../turn.js').Turn} Turn */
/** @typedef {import('../../turn.js').ShownText} ShownText */
/** @typedef {import('../../turn.js').ShownMessage} ShownMessage */

const PEEK = 160
const FIRST_ROWS = 60
const MORE_ROWS = 300
const FATES = /** @type {{ [fate: string]: string }} */ ({
  kept: 'kept',
  pinned: 'kept, pinned',
  fails: 'does not fit',
})

/** @param {string} fate */
const fateText = (fate) => FATES[fate] ?? `dropped: ${fate === 'step' ? 'step' : reasonText(fate)}`

/** A text that may lack its middle in this page. @param {ShownText} text @param {string} wanted */
const shownNodes = ({ head, tail, missing }, wanted) =>
  missing === 0
    ? textNodes(head, wanted)
    : [
        ...textNodes(head, wanted),
        element('span.missing', {}, `\n[this page leaves out ${grouped(missing)} characters here]\n`),
        ...textNodes(tail, wanted),
      ]

/** The first place where a text has what is searched for, with some text around it. @param {ShownText} text @param {string} wanted */
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
  filter === '' ||
  (filter === 'pinned' ? fate === 'pinned' : (fate === 'kept' || fate === 'pinned') === (filter === 'sent'))

/** @param {ShownMessage} message */
const textsOf = ({ text, parts }) => parts?.map((part) => part.text) ?? [text]

const namesOf = (/** @type {ShownMessage} */ { from, to }) => visibleLine(`${from} → ${to}`)

/** @param {ShownMessage} message @param {string} wanted */
const matches = (message, wanted) =>
  wanted === '' ||
  namesOf(message).toLowerCase().includes(wanted) ||
  (message.id?.toLowerCase() ?? `#${message.index}`).includes(wanted) ||
  textsOf(message).some((text) => around(text, wanted) !== undefined)

/** @param {ShownMessage} message */
const messageRow = (message) => {
  const { index, id, bytes, text, parts } = message
  const fate = element('span.fate')
  const peek = element('span.peek')
  const summary = element(
    'summary',
    {},
    element(
      'span.soft.number',
      { title: id === undefined ? '' : `number ${index} of the conversation` },
      id === undefined ? `#${index}` : visibleLine(id),
    ),
    element('span.text', {}, namesOf(message)),
    element('span.number', {}, grouped(bytes)),
    fate,
    peek,
  )
  const details = element('details', {}, summary)
  const node = element('li', {}, details)
  let [shownFate, marked] = ['', '?']

  const fill = () => {
    for (const old of details.querySelectorAll('pre, h4')) old.remove()
    if (!details.hasAttribute('open')) return
    const boxOf = (/** @type {ShownText} */ shown, /** @type {string} */ label) =>
      element('pre', { tabindex: 0, 'aria-label': label }, ...shownNodes(shown, marked))
    if (parts === undefined) details.append(boxOf(text, `Text of message ${index}`))
    for (const part of parts ?? []) {
      const title = visibleLine(part.title)
      details.append(element('h4', {}, title), boxOf(part.text, title))
    }
  }
  details.addEventListener('toggle', fill)
  return {
    node,
    mark(/** @type {string} */ wanted) {
      if (marked === wanted) return
      marked = wanted
      const start = () => visibleLine(text.head.slice(0, PEEK))
      peek.replaceChildren(...textNodes(wanted === '' ? start() : (around(text, wanted) ?? start()), wanted))
      fill()
    },
    setFate(/** @type {string} */ next) {
      if (next === shownFate) return
      shownFate = next
      node.dataset.fate = next
      fate.textContent = fateText(next)
    },
  }
}

/** @param {Turn} turn */
const messageList = ({ messages }) => {
  const node = element('ol.messages')
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
    const end = Math.min(messages.length, rows.length + count)
    const made = messages.slice(rows.length, end).map(messageRow)
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
