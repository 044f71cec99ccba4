'use strict'
/** The budget to scale, in bytes or in tokens: what limited the prompt. */
const { BREAK_BYTES, spansOf } = require('../spans.js')
const { isSent, sectionsAt, totalAt } = require('../state.js')
const { counted, grouped, partName, percent, sectionFate, sizeIn } = require('../words.js')
const { element, table } = require('./dom.js')

/** @typedef {import('../../turn.js').Turn} Turn */
/** @typedef {import('../state.js').State} State */
/** @typedef {import('../state.js').MeasuredSection} MeasuredSection */

/** Bars and table. @param {Turn} turn */
const budgetView = (turn) => {
  const { unit, report } = turn
  const sent = element('div.bar', { role: 'img' })
  const sentTitle = element('div.bar-title')
  const given = /** @type {HTMLCanvasElement} */ (element('canvas', { role: 'img', height: 32 }))
  const givenTitle = element('div.bar-title')
  const hasOther = report.totalTokens !== undefined
  const { box, rows } = table('Sections', [
    'section',
    `#${unit}`,
    '#share',
    'what happened',
    ...(hasOther ? [unit === 'tokens' ? '#bytes' : '#tokens'] : []),
  ])
  // The line above the sections of a fenced prompt takes room, too. Its size is known in bytes only.
  const fenceBytes = turn.top === '' || unit === 'tokens' ? 0 : spansOf(report).top - BREAK_BYTES
  const fence =
    fenceBytes === 0 ? [] : [{ name: 'fence', action: 'kept', before: fenceBytes, after: fenceBytes, other: undefined }]
  const hasGiven = turn.messages.length > 0 && turn.whole !== null
  const body = element('div', {}, sentTitle, sent, ...(hasGiven ? [givenTitle, given] : []), box)

  /** @param {State} state */
  const show = (state) => {
    const sections = [...fence, ...sectionsAt(turn, state)]
    const [total, budget] = [totalAt(turn, state), state.budget]
    sentTitle.replaceChildren(
      element('b', {}, 'Sent'),
      element(
        'span',
        {},
        `${grouped(total)} of ${sizeIn(budget, unit)}, ${percent(total, budget)}${total > budget ? ': too much' : ''}`,
      ),
    )
    const widest = Math.max(budget, total, 1)
    sent.replaceChildren(
      ...sections
        .filter(({ after }) => after > 0)
        .map(({ name, after }) => {
          const piece = element(`i.part-${name}`, { title: `${partName(name)}: ${sizeIn(after, unit)}` })
          piece.style.flexBasis = `${(after / widest) * 100}%`
          return piece
        }),
    )
    sent.setAttribute(
      'aria-label',
      `Sent: ${sections.map(({ name, after }) => `${partName(name)} ${sizeIn(after, unit)}`).join(', ')}`,
    )
    rows.replaceChildren(...sections.map((section) => sectionRow(section, budget, unit, hasOther)))
    if (hasGiven) showGiven(state, sections)
  }

  /** All input: each section and each message, dimmed if it is not sent. @param {State} state @param {MeasuredSection[]} sections */
  const showGiven = (state, sections) => {
    const kept = state.fates.filter(isSent).length
    const whole = sizeIn(turn.whole ?? 0, unit)
    givenTitle.replaceChildren(
      element('b', {}, 'Given, message by message'),
      element(
        'span',
        {},
        `${whole}; ${counted(kept, 'message')} of ${grouped(turn.messages.length)} kept${kept < turn.messages.length ? ', the others dimmed' : ''}`,
      ),
    )
    given.setAttribute('aria-label', `Given: ${whole}, ${kept} of ${turn.messages.length} messages kept`)
    drawGiven(given, turn, state, sections)
  }
  return { body, show }
}

/** @param {MeasuredSection} section @param {number} budget @param {import('../words.js').Unit} unit @param {boolean} hasOther */
const sectionRow = (section, budget, unit, hasOther) =>
  element(
    'tr',
    {},
    element('td', {}, element(`span.swatch.part-${section.name}`), partName(section.name)),
    element('td.number', {}, grouped(section.after)),
    element('td.number', {}, percent(section.after, budget)),
    element('td', {}, sectionFate(section, unit)),
    ...(hasOther ? [element('td.number.soft', {}, section.other === undefined ? '–' : grouped(section.other))] : []),
  )

/** @param {HTMLCanvasElement} canvas @param {Turn} turn @param {State} state @param {MeasuredSection[]} sections */
const drawGiven = (canvas, turn, state, sections) => {
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
  const draw = (/** @type {string} */ part, /** @type {number} */ size, /** @type {boolean} */ isKept) => {
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
 * @param {Turn} turn
 * @param {boolean[]} sent
 * @param {number} least
 */
const runsOf = ({ messages, unit }, sent, least) => {
  /** @type {{ size: number, isKept: boolean }[]} */
  const runs = []
  // In bytes, a line break stands before each.
  const sizes = messages.map(({ bytes, tokens = 0 }) => (unit === 'tokens' ? tokens : bytes + 1))
  const isSmall = sizes.reduce((sum, size) => sum + size, 0) / sizes.length < least
  sizes.forEach((size, position) => {
    const [last, isKept] = [runs.at(-1), sent[position] ?? false]
    if (isSmall && last !== undefined && last.isKept === isKept) last.size += size
    else runs.push({ size, isKept })
  })
  return runs
}

module.exports = { budgetView }
