/** What changed from one prompt of an agent to another. */
import { agentKey, changeBetween, type Change, type Excerpt } from '../changes.js'
import { counted, grouped, messageName, namesText, partName, percent, visibleLine } from '../words.js'
import { choiceOf, element, fillBar, partLabel, section, table, textBox, textNodes } from './dom.js'
import type { ShownMessage, Turn } from '../../turn.js'

/** How many messages are listed; the others are only counted. */
const MOST_LISTED = 50
const PEEK = 160

const NO_TEXTS =
  'The page does not have the texts of these prompts, so it cannot show how much of the beginning stayed the same.'

const reuseNodes = ({ flag, sameBytes, reusableBytes }: Change, { report }: Turn) => {
  const { promptBytes, systemFlagBytes, totalBytes } = report
  if (flag === 'changed')
    return [element('p', 'The system flag changed. It stands before the prompt, so a prompt cache can reuse nothing.')]
  if (sameBytes === null) return [element('p', NO_TEXTS)]
  const flagText = {
    same: ' The system flag is the same.',
    unknown: ' If the system flag is the same, it can be reused, too.',
    none: '',
  }[flag]
  const label = `The same: ${grouped(reusableBytes)} of ${grouped(totalBytes)} bytes`
  const bar = element('div.bar.reuse', { role: 'img', 'aria-label': label })
  fillBar(bar, totalBytes, [{ name: 'same', title: `the same: ${grouped(reusableBytes)} bytes`, size: reusableBytes }])
  const flagBytes = systemFlagBytes > 0 ? ` With the flag: ${grouped(reusableBytes)} of ${grouped(totalBytes)}.` : ''
  const says = `The first ${grouped(sameBytes)} of ${counted(promptBytes, 'byte')} stayed the same, ${percent(sameBytes, promptBytes)}: a prompt cache can reuse at most that.${flagText}${flagBytes}`
  return [element('p', says), bar]
}

const excerptBox = (label: string, { same, rest }: Excerpt) => {
  const next = rest === '' ? element('span.missing', '[the prompt ends here]') : element('mark', ...textNodes(rest))
  return element('div', element('h3', label), textBox(label, element('span.soft', ...textNodes(same)), next))
}

const differenceNodes = ({ first, sameBytes }: Change) => {
  if (first === null) return sameBytes === null ? [] : [element('p', 'Both prompts are the same.')]
  const where = { top: 'above the first section', end: 'at the end' }[first.part] ?? `in ${partName(first.part)}`
  const says = `First difference: byte ${grouped(sameBytes ?? 0)}, ${where}. Cause: `
  const cause = element('p', says, element('b.cause', first.cause), '.')
  if (first.before === null || first.after === null) return [cause]
  return [cause, element('div.excerpts', excerptBox('Before', first.before), excerptBox('Now', first.after))]
}

const messagesNode = (title: string, messages: ShownMessage[]) => {
  if (messages.length === 0) return []
  const list = messages.slice(0, MOST_LISTED).map((message) => {
    const peek = element('span.peek', visibleLine(message.text.head.slice(0, PEEK)))
    return element('li', element('b', messageName(message)), ` ${namesText(message)} `, peek)
  })
  const more = messages.length - list.length
  if (more > 0) list.push(element('li', `and ${grouped(more)} more`))
  const summary = element('summary.plain', `${title}: ${counted(messages.length, 'message')}`)
  return [element('details', { open: messages.length <= 3 }, summary, element('ul.plain-list', ...list))]
}

const sectionsTable = ({ sections, unit }: Change) => {
  const { box, show } = table<Change['sections'][number]>('Sizes of sections, before and now', [
    ['section', ({ name }) => partLabel(name)],
    [`#${unit} before`, ({ before }) => grouped(before)],
    [`#${unit} now`, ({ after }) => grouped(after)],
    ['change', ({ what }) => what],
  ])
  show(sections)
  return box
}

/** Everything that changed up to one prompt; nothing if it is the first one of its agent. */
export const changesView = (turns: Turn[], at: number) => {
  const after = turns[at]
  if (after === undefined) return []
  const key = agentKey(after)
  const earlier = turns
    .flatMap((turn, position) => (position < at && agentKey(turn) === key ? [position] : []))
    .toReversed()
  if (earlier.length === 0) return []
  const choice = choiceOf(earlier.map((position) => [position, `prompt ${position + 1}`]))
  const shown = element('div', { 'aria-live': 'polite' })
  const show = () => {
    const before = turns[Number(choice.value)]
    if (before === undefined) return
    const change = changeBetween(before, after, Number(choice.value) === earlier[0])
    shown.replaceChildren(
      ...reuseNodes(change, after),
      ...differenceNodes(change),
      ...messagesNode('New', change.added),
      ...messagesNode('Gone', change.gone),
      sectionsTable(change),
    )
  }
  choice.addEventListener('change', show)
  show()
  return [section('What changed', [element('div.tools', element('label', 'Compared with', choice)), shown], 'changes')]
}
