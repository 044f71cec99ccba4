/** The prompt: its sections, and each message of the conversation, with what was cut marked. */
import { isSent, sectionsAt, type State, type Cut, type CutText } from '../state.js'
import { counted, grouped, partName, sizeIn, visibleLine } from '../words.js'
import { choiceOf, element, textBox, textNodes } from './dom.js'
import { around, messageList, shownNodes, type Memory } from './message-list.js'
import type { ShownSection, ShownText, Turn } from '../../turn.js'

type MessageList = ReturnType<typeof messageList>

const CUT_TEXTS: { [section: string]: CutText } = {
  system: 'file',
  summary: 'summary',
  parent: 'parent',
  message: 'message',
}

const FILTERS: [value: string, text: string][] = [
  ['', 'all messages'],
  ['sent', 'sent'],
  ['dropped', 'not sent'],
  ['pinned', 'pinned'],
]

/** The key of a fenced prompt, from the line at its top; empty if there is none. */
const keyOf = (top: string) => /"=== ([\da-zA-Z]{12})"/.exec(top)?.[1] ?? ''

/** A text with the lines of a fence marked. */
const fencedNodes = (text: string, key: string, wanted: string) => {
  if (key === '') return textNodes(text, wanted)
  return text
    .split(new RegExp(`^(=== ${key}.*)$`, 'm'))
    .flatMap((piece, at) =>
      at % 2 === 1 ? [element('span.fence', ...textNodes(piece, wanted))] : textNodes(piece, wanted),
    )
}

/**
 * A section's text with what a cut takes away struck out.
 * @param bytes The size of the text that is cut.
 * @param below The size of what follows it in the section.
 */
const cutNodes = (text: string, cut: Cut, bytes: number, below: number, nodesOf: (text: string) => Node[]) => {
  const encoded = new TextEncoder().encode(text)
  const decode = (from: number, to: number) => new TextDecoder().decode(encoded.subarray(from, to))
  const end = encoded.length - below
  const start = end - bytes
  const [from, to] = cut.head + cut.tail === 0 ? [start, end] : [start + cut.head, end - cut.tail]
  return [
    ...nodesOf(decode(0, from)),
    element('span.missing', `[${grouped(to - from)} bytes cut: `),
    element('del', ...nodesOf(decode(from, to))),
    element('span.missing', ']'),
    ...nodesOf(decode(to, encoded.length)),
  ]
}

export const promptView = (turn: Turn, memory: Memory) => {
  const list = messageList(turn, memory)
  const blocks = sectionBlocks(turn, list)
  const found = element('p.soft', { role: 'status' })
  const search = element('input', { type: 'search', placeholder: 'text or name', autocomplete: 'off' })
  search.value = memory.search
  const filter = choiceOf(FILTERS)
  filter.value = memory.filter
  const tools = element('div.tools', element('label', 'Search', search))
  if (turn.messages.length > 0) tools.append(element('label', 'Show', filter))

  const refresh = () => {
    Object.assign(memory, { search: search.value, filter: filter.value })
    const wanted = visibleLine(search.value.trim()).toLowerCase()
    let count = list.search(wanted, filter.value)
    for (const block of blocks) count += block.search(wanted, filter.value !== '')
    const all = turn.messages.length + blocks.filter(({ name }) => name !== 'context').length
    found.textContent = wanted === '' && filter.value === '' ? '' : `${counted(count, 'text')} of ${grouped(all)} shown`
  }
  search.addEventListener('input', refresh)
  filter.addEventListener('change', refresh)

  const show = (state: State) => {
    list.show(state.fates)
    for (const block of blocks) block.show(state)
    if (filter.value !== '' || search.value !== '') refresh()
  }
  return { isEmpty: blocks.length === 0, body: element('div', tools, found, ...blocks.map(({ node }) => node)), show }
}

type Block = {
  name: string
  node: HTMLElement
  show(state: State): void
  search(wanted: string, onlyMessages: boolean): number
}

const sectionBlocks = (turn: Turn, list: MessageList): Block[] => {
  const texts = new Map(turn.sections.map((section) => [section.name, section]))
  const sections = turn.report.sections.flatMap(({ name }) => {
    if (name === 'context' && turn.messages.length > 0) return [contextBlock(list, turn)]
    const section = texts.get(name)
    return section === undefined ? [] : [sectionBlock(section, turn)]
  })
  return turn.top === '' ? sections : [fenceBlock(turn.top), ...sections]
}

const blockOf = (name: string, says: HTMLElement, body: HTMLElement) => {
  const title = partName(name)
  const head = element('div.block-head', element('h3', title), says)
  return element(`section.block.part-${name}`, { 'aria-label': title }, head, body)
}

const contextBlock = (list: MessageList, { unit }: Turn): Block => {
  const says = element('span.soft')
  const node = blockOf('context', says, list.node)
  return {
    name: 'context',
    node,
    search: () => 0,
    show({ fates }) {
      const dropped = fates.filter((fate) => !isSent(fate)).length
      says.textContent = `${counted(fates.length, 'message')}, oldest first, in ${unit}${dropped === 0 ? '' : `; ${grouped(dropped)} not sent`}`
    },
  }
}

/**
 * @param saysOf What stands above it.
 * @param nodesOf The text with search matches marked.
 */
const textBlock = (
  name: string,
  text: ShownText,
  saysOf: (state: State) => string,
  nodesOf: (wanted: string, state?: State) => Node[],
): Block => {
  const says = element('span.soft')
  const pre = textBox(`Text of ${name === 'fence' ? 'the fence' : partName(name)}`)
  const node = blockOf(name, says, pre)
  let wanted = ''
  let shown: State | undefined
  const fill = () => pre.replaceChildren(...nodesOf(wanted, shown))
  return {
    name,
    node,
    show(state) {
      shown = state
      says.textContent = saysOf(state)
      fill()
    },
    search(next, onlyMessages) {
      node.hidden = onlyMessages || (next !== '' && around(text, next) === undefined)
      if (next !== wanted) {
        wanted = next
        fill()
      }
      return node.hidden ? 0 : 1
    },
  }
}

/** The line above the sections of a fenced prompt. */
const fenceBlock = (top: string) => {
  const says = `${sizeIn(new TextEncoder().encode(top).length, 'bytes')}; the key of this prompt is ${keyOf(top)}`
  return textBlock(
    'fence',
    { head: top, tail: '', missing: 0 },
    () => says,
    (wanted) => textNodes(top, wanted),
  )
}

const sectionBlock = ({ name, text, isWhole, inFlag }: ShownSection, turn: Turn) => {
  const cutText = CUT_TEXTS[name]
  const bytes = cutText === undefined ? 0 : (turn.table?.texts[cutText] ?? 0)
  const below = name === 'system' ? 0 : (turn.table?.endingBytes ?? 0)
  const key = keyOf(turn.top)
  const cutAt = (state: State | undefined) => (cutText === undefined ? undefined : state?.row?.cuts?.[cutText])
  const saysOf = (state: State) => {
    const size = sectionsAt(turn, state).find((section) => section.name === name)?.after ?? 0
    const isOut = state.row !== null && !state.row.fits
    const shown = `${cutAt(state) === undefined ? '' : 'cut to '}${sizeIn(size, turn.unit)}`
    return `${isOut ? 'does not fit' : size === 0 ? 'dropped' : shown}${inFlag ? ' (system flag)' : ''}`
  }
  return textBlock(name, text, saysOf, (wanted, state) => {
    const nodesOf = (piece: string) => fencedNodes(piece, key, wanted)
    const cut = cutAt(state)
    return cut !== undefined && bytes > 0 && isWhole && text.missing === 0
      ? cutNodes(text.head, cut, bytes, below, nodesOf)
      : shownNodes(text, wanted, nodesOf)
  })
}
