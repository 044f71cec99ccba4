'use strict'
/** The prompt: its sections, and each message of the conversation, with what was cut marked. */
const { visibleLine } = require('../visible.js')
const { counted, grouped, partName, reasonText } = require('../words.js')
const { element, textNodes } = require('./dom.js')

/** @typedef {import('../../turn.js').Turn} Turn */
/** @typedef {import('../../turn.js').ShownText} ShownText */
/** @typedef {import('./budget-view.js').State} State */

const PEEK = 160
const FATES = /** @type {{ [fate: string]: string }} */ ({ kept: 'kept', pinned: 'kept, pinned', fails: 'does not fit' })

/** @param {string} fate */
const fateText = (fate) => FATES[fate] ?? `dropped: ${fate === 'step' ? 'step' : reasonText(fate)}`

/** A text that may lack its middle in this page. @param {ShownText} text @param {string} wanted */
const shownNodes = ({ head, tail, missing }, wanted) => missing === 0 ? textNodes(head, wanted) : [
  ...textNodes(head, wanted),
  element('span.missing', {}, `\n[this page leaves out ${grouped(missing)} characters here]\n`),
  ...textNodes(tail, wanted),
]

/** Which text of a section is cut, if one is. @type {{ [section: string]: string }} */
const CUT_TEXTS = { system: 'file', summary: 'summary', parent: 'parent', message: 'message' }

/**
 * A section's text with what a cut takes away struck out. What is cut stands at the section's end.
 * @param {string} text
 * @param {{ head: number, tail: number }} cut
 * @param {number} bytes The size of the text that is cut, which is the end of the section.
 * @param {string} wanted
 */
const cutNodes = (text, cut, bytes, wanted) => {
  const encoded = new TextEncoder().encode(text)
  const decode = (/** @type {number} */ from, /** @type {number} */ to) => new TextDecoder().decode(encoded.subarray(from, to))
  const start = encoded.length - bytes
  const [from, to] = cut.head + cut.tail === 0 ? [start, encoded.length] : [start + cut.head, encoded.length - cut.tail]
  return [
    ...textNodes(decode(0, from), wanted),
    element('span.missing', {}, `[${grouped(to - from)} bytes cut: `),
    element('del', {}, ...textNodes(decode(from, to), wanted)),
    element('span.missing', {}, ']'),
    ...textNodes(decode(to, encoded.length), wanted),
  ]
}

/** @param {Turn} turn */
const promptView = (turn) => {
  const list = element('div')
  const rows = turn.messages.map((message) => messageRow(message, turn))
  const blocks = sectionBlocks(turn, rows)
  list.append(...blocks.map(({ node }) => node))
  const found = element('p.soft', { role: 'status' })
  const search = /** @type {HTMLInputElement} */ (element('input', { type: 'search', placeholder: 'text or name', autocomplete: 'off' }))
  const filter = /** @type {HTMLSelectElement} */ (element('select', {},
    ...[['', 'all messages'], ['sent', 'sent'], ['dropped', 'not sent'], ['pinned', 'pinned']].map(([value = '', text = '']) => element('option', { value }, text))))
  const tools = element('div.tools', {},
    element('label', {}, 'Search', search),
    ...turn.messages.length > 0 ? [element('label', {}, 'Show', filter)] : [])
  /** @type {State | null} */
  let current = null

  const refresh = () => {
    const wanted = visibleLine(search.value.trim()).toLowerCase()
    let count = 0
    rows.forEach((row, position) => {
      const isFound = matchesFilter(current?.fates[position] ?? '', filter.value) && row.matches(wanted)
      row.node.hidden = !isFound
      if (isFound) row.mark(wanted)
      if (isFound) count++
    })
    for (const block of blocks) count += block.search(wanted, filter.value !== '')
    const all = turn.messages.length + blocks.filter(({ name }) => name !== 'context').length
    found.textContent = wanted === '' && filter.value === '' ? '' : `${counted(count, 'text')} of ${grouped(all)} shown`
  }
  search.addEventListener('input', refresh)
  filter.addEventListener('change', refresh)

  const show = (/** @type {State} */ state) => {
    rows.forEach((row, position) => row.setFate(state.fates[position] ?? ''))
    for (const block of blocks) block.show(state)
    current = state
    if (filter.value !== '') refresh()
  }
  return { body: element('div', {}, tools, found, list), show }
}

/** @param {string} fate @param {string} filter */
const matchesFilter = (fate, filter) => filter === '' || (filter === 'pinned' ? fate === 'pinned' : (fate === 'kept' || fate === 'pinned') === (filter === 'sent'))

/** @param {import('../../turn.js').ShownMessage} message @param {Turn} turn */
const messageRow = ({ index, from, to, bytes, text }, turn) => {
  const fate = element('span.fate')
  const peek = element('span.peek')
  const names = visibleLine(`${from} → ${to}`)
  const number = turn.report.agentId === undefined ? `#${index}` : ''
  const summary = element('summary', {},
    element('span.soft.number', {}, number), element('span.text', {}, names), element('span.number', {}, grouped(bytes)), fate, peek)
  const details = element('details', {}, summary)
  const node = element('li', {}, details)
  let [shownFate, marked] = ['', '?']
  const start = visibleLine(text.head.slice(0, PEEK))

  const fill = () => {
    details.querySelector('pre')?.remove()
    if (details.hasAttribute('open')) details.append(element('pre', { tabindex: 0, 'aria-label': `Text of message ${index}` }, ...shownNodes(text, marked)))
  }
  const mark = (/** @type {string} */ wanted) => {
    if (marked === wanted) return
    marked = wanted
    peek.replaceChildren(...textNodes(wanted === '' ? start : around(text, wanted) ?? start, wanted))
    fill()
  }
  details.addEventListener('toggle', fill)
  mark('')
  return {
    node, mark,
    matches: (/** @type {string} */ wanted) => wanted === '' || names.toLowerCase().includes(wanted) || around(text, wanted) !== undefined,
    setFate(/** @type {string} */ next) {
      if (next === shownFate) return
      shownFate = next
      node.dataset.fate = next
      fate.textContent = fateText(next)
    },
  }
}

/** The first place where a text has what is searched for, with some text around it. @param {ShownText} text @param {string} wanted */
const around = ({ head, tail }, wanted) => {
  for (const piece of [head, tail]) {
    const at = piece.toLowerCase().indexOf(wanted)
    if (at >= 0) return visibleLine(piece.slice(Math.max(0, at - 30), at + PEEK))
  }
  const shown = visibleLine(head.slice(0, PEEK))
  return shown.toLowerCase().includes(wanted) ? shown : undefined
}

/** @typedef {{ name: string, node: HTMLElement, show(state: State): void, search(wanted: string, onlyMessages: boolean): number }} Block */

/** @param {Turn} turn @param {ReturnType<typeof messageRow>[]} rows @returns {Block[]} */
const sectionBlocks = (turn, rows) => {
  const texts = new Map(turn.sections.map((section) => [section.name, section]))
  return turn.report.sections.flatMap(({ name }) => {
    if (name === 'context' && rows.length > 0) return [contextBlock(rows)]
    const section = texts.get(name)
    return section === undefined ? [] : [textBlock(section, turn)]
  })
}

/** @param {ReturnType<typeof messageRow>[]} rows @returns {Block} */
const contextBlock = (rows) => {
  const says = element('span.soft')
  const node = element('section.block.part-context', { 'aria-label': 'context' },
    element('div.block-head', {}, element('h3', {}, 'context'), says), element('ol.messages', {}, ...rows.map((row) => row.node)))
  return {
    name: 'context', node, search: () => 0,
    show({ fates }) {
      const dropped = fates.filter((fate) => fate !== 'kept' && fate !== 'pinned').length
      says.textContent = `${counted(fates.length, 'message')}, oldest first; ${grouped(dropped)} not sent`
    },
  }
}

/** @param {import('../../turn.js').ShownSection} section @param {Turn} turn @returns {Block} */
const textBlock = ({ name, text, isWhole, inFlag }, turn) => {
  const says = element('span.soft')
  const pre = element('pre', { tabindex: 0, 'aria-label': `Text of ${partName(name)}` })
  const node = element(`section.block.part-${name}`, { 'aria-label': partName(name) }, element('div.block-head', {}, element('h3', {}, partName(name)), says), pre)
  let wanted = ''
  /** @type {import('../budget.js').Cut | undefined} */
  let cut
  const fill = () => {
    const cuttable = /** @type {{ [name: string]: import('../budget.js').Cuttable | null }} */ (/** @type {unknown} */ (turn.sizes ?? {}))[CUT_TEXTS[name] ?? '']
    const nodes = cut !== undefined && cuttable && isWhole && text.missing === 0 ? cutNodes(text.head, cut, cuttable.bytes, wanted) : shownNodes(text, wanted)
    pre.replaceChildren(...nodes)
  }
  return {
    name, node,
    show({ plan }) {
      cut = plan?.cuts[CUT_TEXTS[name] ?? '']
      const where = inFlag ? ' (system flag)' : ''
      const bytes = plan === null ? turn.report.sections.find((section) => section.name === name)?.bytesAfter ?? 0 : sizeIn(plan, name)
      const isOut = plan !== null && !plan.fits
      says.textContent = `${isOut ? 'does not fit' : bytes === 0 ? 'dropped' : cut === undefined ? `${grouped(bytes)} bytes` : `cut to ${grouped(bytes)} bytes`}${where}`
      fill()
    },
    search(next, onlyMessages) {
      const isFound = next === '' || around(text, next) !== undefined
      node.hidden = onlyMessages || !isFound
      if (next !== wanted) {
        wanted = next
        fill()
      }
      return node.hidden ? 0 : 1
    },
  }
}

/** @param {import('../budget.js').BudgetPlan} plan @param {string} name */
const sizeIn = ({ sections }, name) => {
  const section = sections.find((one) => one.name === name)
  return section === undefined ? 0 : section.prompt + section.flag
}

module.exports = { promptView }
