/** The budget to scale, in bytes or in tokens: what limited the prompt. */
import { BREAK_BYTES, isSent, sectionsAt, spansOf, totalAt, type State } from '../state.js'
import { counted, grouped, orDash, inUnit, partName, percent, sectionFate, sizeIn } from '../words.js'
import type { MeasuredSection } from '../words.js'
import { element, fillBar, partLabel, table } from './dom.js'
import type { Turn } from '../../turn.js'

/** More messages than this are not drawn one by one. */
const MOST_PIECES = 150

export const budgetView = (turn: Turn) => {
  const { unit, report } = turn
  const sent = element('div.bar', { role: 'img' })
  const sentTitle = element('div.bar-title')
  const given = element('div.bar', { role: 'img' })
  const givenTitle = element('div.bar-title')
  let shown = 0
  const otherColumn: [string, (row: MeasuredSection) => Node] = [
    unit === 'tokens' ? '#bytes' : '#tokens',
    ({ other }) => element('span.soft', orDash(other)),
  ]
  const { box, show: showSections } = table<MeasuredSection>('Sections', [
    ['section', ({ name }) => partLabel(name)],
    [`#${unit}`, ({ after }) => grouped(after)],
    ['#share', ({ after }) => percent(after, shown)],
    ['what happened', (section) => sectionFate(section, unit)],
    ...(report.totalTokens === undefined ? [] : [otherColumn]),
  ])
  // The line above the sections of a fenced prompt takes room, too. Its size is known in bytes only.
  const fenceBytes = turn.top === '' || unit === 'tokens' ? 0 : spansOf(report).top - BREAK_BYTES
  const fence = fenceBytes === 0 ? [] : [{ name: 'fence', action: 'kept', before: fenceBytes, after: fenceBytes }]
  const hasGiven = turn.messages.length > 0 && turn.whole !== null
  const body = element('div', sentTitle, sent, ...(hasGiven ? [givenTitle, given] : []), box)

  const show = (state: State) => {
    const sections = [...fence, ...sectionsAt(turn, state)]
    const [total, budget] = [totalAt(turn, state), state.budget]
    const share = `${percent(total, budget)}${total > budget ? ': too much' : ''}`
    setTitle(sentTitle, 'Sent', `${grouped(total)} of ${sizeIn(budget, unit)}, ${share}`)
    const pieces = sections.map(({ name, after }) => {
      return { name: `part-${name}`, title: `${partName(name)}: ${sizeIn(after, unit)}`, size: after }
    })
    fillBar(sent, Math.max(budget, total), pieces)
    const sizes = sections.map(({ name, after }) => `${partName(name)} ${sizeIn(after, unit)}`)
    sent.setAttribute('aria-label', `Sent: ${sizes.join(', ')}`)
    shown = budget
    showSections(sections)
    if (hasGiven) showGiven(state, sections)
  }

  /** All input: each section and each message, dimmed if it is not sent. */
  const showGiven = (state: State, sections: MeasuredSection[]) => {
    const kept = state.fates.filter(isSent).length
    const whole = sizeIn(turn.whole ?? 0, unit)
    const others = kept < turn.messages.length ? ', the others dimmed' : ''
    const says = `${whole}; ${counted(kept, 'message')} of ${grouped(turn.messages.length)} kept${others}`
    setTitle(givenTitle, 'Given, message by message', says)
    given.setAttribute('aria-label', `Given: ${whole}, ${kept} of ${turn.messages.length} messages kept`)
    fillBar(given, turn.whole ?? 1, givenPieces(turn, state, sections))
  }
  return { body, show }
}

const setTitle = (place: HTMLElement, title: string, says: string) =>
  place.replaceChildren(element('b', title), element('span', says))

/**
 * All input as pieces of a bar. Of many messages, neighbours with the same fate are one piece: they are
 * too small to tell apart.
 */
const givenPieces = ({ table: budgets, unit, messages }: Turn, { row, fates }: State, sections: MeasuredSection[]) => {
  const pieces: { name: string; title: string; size: number }[] = []
  const add = (part: string, size: number, isKept: boolean, isMerged = false) => {
    const name = `part-${part}${isKept ? '' : '.unsent'}`
    const last = pieces.at(-1)
    if (isMerged && last?.name === name) last.size += size
    else pieces.push({ name, title: partName(part), size })
  }
  for (const { name, before = 0, after } of sections) {
    if (name === 'context') {
      if (unit === 'bytes') add(name, budgets?.contextHeadingBytes ?? 0, fates.some(isSent))
      const isMerged = messages.length > MOST_PIECES
      // In bytes, a line break stands before each.
      messages.forEach(({ bytes, tokens }, at) =>
        add(name, inUnit(unit, bytes + 1, tokens), isSent(fates[at] ?? ''), isMerged),
      )
    } else {
      add(name, after, row === null || row.fits)
      if (before > after) add(name, before - after, false)
    }
  }
  return pieces
}
