/** The budget to scale, in bytes or in tokens: what limited the prompt. */
import { BREAK_BYTES, isSent, sectionsAt, spansOf, totalAt, type State } from '../state.js'
import {
  counted,
  grouped,
  groupedOrDash,
  inUnit,
  partName,
  percent,
  sectionFate,
  sizeIn,
  type MeasuredSection,
} from '../words.js'
import { element, fillBar, partLabel, table } from './dom.js'
import type { Turn } from '../../turn.js'

export const budgetView = (turn: Turn) => {
  const { unit, report } = turn
  const sent = element('div.bar', { role: 'img' })
  const sentTitle = element('div.bar-title')
  const given = element('canvas', { role: 'img', height: 32 })
  const givenTitle = element('div.bar-title')
  let shown = 0
  const otherColumn: [string, (row: MeasuredSection) => Node] = [
    unit === 'tokens' ? '#bytes' : '#tokens',
    ({ other }) => element('span.soft', groupedOrDash(other)),
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
    drawGiven(given, turn, state, sections)
  }
  return { body, show }
}

const setTitle = (place: HTMLElement, title: string, says: string) =>
  place.replaceChildren(element('b', title), element('span', says))

const drawGiven = (canvas: HTMLCanvasElement, turn: Turn, state: State, sections: MeasuredSection[]) => {
  const ratio = window.devicePixelRatio || 1
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio))
  const height = Math.round(32 * ratio)
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  const pen = canvas.getContext('2d')
  if (pen === null) return
  const colors = getComputedStyle(document.documentElement)
  pen.clearRect(0, 0, width, height)
  const scale = width / Math.max(turn.whole ?? 1, 1)
  let at = 0
  const draw = (part: string, size: number, isKept: boolean) => {
    const length = size * scale
    pen.globalAlpha = isKept ? 1 : 0.22
    pen.fillStyle = colors.getPropertyValue(part === 'fence' ? '--soft' : `--${part}`)
    pen.fillRect(at, 0, Math.max(length > 3 ? length - ratio : length, 0.5), height)
    at += length
  }
  for (const { name, before = 0, after } of sections) {
    if (name === 'context') {
      const sent = state.fates.map(isSent)
      if (turn.unit === 'bytes') draw(name, turn.table?.contextHeadingBytes ?? 0, sent.includes(true))
      for (const { size, isKept } of runsOf(turn, sent, 3 / scale)) draw(name, size, isKept)
    } else {
      draw(name, after, state.row === null || state.row.fits)
      if (before > after) draw(name, before - after, false)
    }
  }
}

/**
 * The messages as pieces of a bar. Neighbours with the same fate that are too small to tell apart are
 * merged.
 */
const runsOf = ({ messages, unit }: Turn, sent: boolean[], least: number) => {
  const runs: { size: number; isKept: boolean }[] = []
  // In bytes, a line break stands before each.
  const sizes = messages.map(({ bytes, tokens }) => inUnit(unit, bytes + 1, tokens))
  const isSmall = sizes.reduce((sum, size) => sum + size, 0) / sizes.length < least
  sizes.forEach((size, position) => {
    const [last, isKept] = [runs.at(-1), sent[position] ?? false]
    if (isSmall && last !== undefined && last.isKept === isKept) last.size += size
    else runs.push({ size, isKept })
  })
  return runs
}
