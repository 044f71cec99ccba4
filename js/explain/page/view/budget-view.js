'use strict'
/** The budget to scale, and the slider. */
const { fateOf, rowAt } = require('../budget.js')
const { counted, grouped, partName, percent, sectionFate, sizeOf } = require('../words.js')
const { element, table } = require('./dom.js')

/** @typedef {import('../../turn.js').Turn} Turn */
/** @typedef {import('../budget.js').BudgetRow} BudgetRow */
/** @typedef {{ budget: number, row: BudgetRow | null, fates: string[] }} State What is shown: a row of the table, or what the report says. */

/** Steps of the slider: fewer than pixels, and never less than a byte. */
const SLIDER_STEPS = 2000

/** The fate of every message. @param {Turn} turn @param {BudgetRow | null} row */
const fatesOf = (turn, row) => {
  const hasContext = turn.report.sections.some(({ name }) => name === 'context')
  const pins = new Set(turn.pinned)
  return turn.messages.map((_, line) => {
    if (!hasContext) return 'layout'
    if (row !== null && !row.fits) return 'fails'
    return pins.has(line) ? 'pinned' : fateOf(row ?? turn.kept, line)
  })
}

/** The budget of the prompt, in the unit of its table. @param {Turn} turn */
const budgetAsSent = ({ report, table: budgets }) =>
  budgets?.unit === 'tokens' ? (report.maxTokens ?? 0) : report.maxBytes

/** The budget in bytes, of which the slider may change that in tokens. @param {Turn} turn @param {State} state */
const maxBytesAt = ({ report, table: budgets }, { budget }) => (budgets?.unit === 'tokens' ? report.maxBytes : budget)

/**
 * What is shown for a budget. Where texts are cut, there is not a row for every budget; then it is the largest one below it that has one.
 * @param {Turn} turn
 * @param {number} budget
 * @returns {State}
 */
const stateAt = (turn, budget) => {
  if (turn.table === null) return { budget, row: null, fates: fatesOf(turn, null) }
  const row = rowAt(turn.table, budget)
  return { budget: Math.min(budget, row.to), row, fates: fatesOf(turn, row) }
}

/** The sections as a row has them. @param {Turn} turn @param {State} state @returns {import('../words.js').SectionSummary[]} */
const sectionsAt = ({ report, table: budgets }, { row, budget }) => {
  // A table has no tokens of sections, but a report has.
  const isAsSent = budgets?.unit === 'tokens' && budget === report.maxTokens
  if (row === null || budgets === null || isAsSent) return report.sections
  const { whole } = budgets
  return budgets.sections.map((name, at) => {
    const [bytesBefore, bytesAfter] = [whole.sections[at] ?? 0, row.sections[at] ?? 0]
    const items = itemsAt(name, whole, row)
    const isTrimmed = items !== undefined && items.itemsAfter < items.itemsBefore
    // A budget in tokens that does not suffice has no sizes.
    const action =
      row.sections.length === 0
        ? 'does not fit'
        : bytesAfter === 0
          ? 'dropped'
          : isTrimmed
            ? 'trimmed'
            : bytesAfter < bytesBefore
              ? 'shortened'
              : 'kept'
    return { name, action, bytesBefore, bytesAfter, ...items }
  })
}

/** @param {string} name @param {BudgetRow} whole @param {BudgetRow} row */
const itemsAt = (name, whole, row) => {
  if (name === 'siblings') return { itemsBefore: whole.siblings, itemsAfter: row.siblings }
  return name === 'context' ? { itemsBefore: whole.messages, itemsAfter: row.messages } : undefined
}

/** Bars and table. @param {Turn} turn */
const budgetView = (turn) => {
  const sent = element('div.bar', { role: 'img' })
  const sentTitle = element('div.bar-title')
  const given = /** @type {HTMLCanvasElement} */ (element('canvas', { role: 'img', height: 32 }))
  const givenTitle = element('div.bar-title')
  const { box, rows } = table('Sections', [
    'section',
    '#bytes',
    '#share',
    'what became of it',
    ...(turn.report.totalTokens === undefined ? [] : ['#tokens']),
  ])
  const hasGiven = turn.messages.length > 0 && turn.whole !== null
  const tokens = element('div')
  const body = element('div', {}, tokens, sentTitle, sent, ...(hasGiven ? [givenTitle, given] : []), box)

  /** @param {State} state */
  const show = (state) => {
    const sections = sectionsAt(turn, state)
    const total = state.row === null ? turn.report.totalBytes : state.row.totalBytes
    const maxBytes = maxBytesAt(turn, state)
    tokens.replaceChildren(...tokenBar(turn, state, sections))
    sentTitle.replaceChildren(
      element('b', {}, 'Sent'),
      element(
        'span',
        {},
        `${grouped(total)} of ${grouped(maxBytes)} bytes, ${percent(total, maxBytes)}${total > maxBytes ? ': too much' : ''}`,
      ),
    )
    const widest = Math.max(maxBytes, total, 1)
    sent.replaceChildren(
      ...sections
        .filter(({ bytesAfter }) => bytesAfter > 0)
        .map(({ name, bytesAfter }) => {
          const piece = element(`i.part-${name}`, { title: `${partName(name)}: ${grouped(bytesAfter)} bytes` })
          piece.style.flexBasis = `${(bytesAfter / widest) * 100}%`
          return piece
        }),
    )
    sent.setAttribute(
      'aria-label',
      `Sent: ${sections.map(({ name, bytesAfter }) => `${partName(name)} ${grouped(bytesAfter)} bytes`).join(', ')}`,
    )
    rows.replaceChildren(...sections.map((section) => sectionRow(section, state, turn)))
    if (hasGiven) showGiven(state, sections)
  }

  /** Everything that was given: each section, each message, dim if it is not sent. @param {State} state @param {ReturnType<typeof sectionsAt>} sections */
  const showGiven = (state, sections) => {
    const kept = state.fates.filter((fate) => fate === 'kept' || fate === 'pinned').length
    givenTitle.replaceChildren(
      element('b', {}, 'Given, message by message'),
      element(
        'span',
        {},
        `${grouped(turn.whole ?? 0)} bytes; ${counted(kept, 'message')} of ${grouped(turn.messages.length)} kept, the others dim`,
      ),
    )
    given.setAttribute(
      'aria-label',
      `Given: ${grouped(turn.whole ?? 0)} bytes, ${kept} of ${turn.messages.length} messages kept`,
    )
    drawGiven(given, turn, state, sections)
  }
  return { body, show }
}

/** The prompt in tokens; by section, where they are known. @param {Turn} turn @param {State} state @param {ReturnType<typeof sectionsAt>} sections */
const tokenBar = ({ report, table: budgets }, { row, budget }, sections) => {
  if (report.maxTokens === undefined) return []
  const [maxTokens, total = 0] =
    budgets === null || row === null ? [report.maxTokens, report.totalTokens] : [budget, row.totalTokens]
  const pieceOf = (/** @type {string} */ tag, /** @type {string} */ name, /** @type {number} */ tokens) => {
    const piece = element(tag, { title: `${name}: ${counted(tokens, 'token')}` })
    piece.style.flexBasis = `${Math.min(1, tokens / maxTokens) * 100}%`
    return piece
  }
  const known = sections.flatMap(({ name, tokensAfter = 0 }) =>
    tokensAfter > 0 ? [pieceOf(`i.part-${name}`, partName(name), tokensAfter)] : [],
  )
  const says = `${grouped(total)} of ${counted(maxTokens, 'token')}, ${percent(total, maxTokens)}${total > maxTokens ? ': too much' : ''}`
  return [
    element('div.bar-title', {}, element('b', {}, 'Sent, in tokens'), element('span', {}, says)),
    element(
      'div.bar',
      { role: 'img', 'aria-label': `Sent: ${says}` },
      ...(known.length > 0 ? known : [pieceOf('i.part-routing', 'all', total)]),
    ),
  ]
}

/** @param {import('../words.js').SectionSummary} section @param {State} state @param {Turn} turn */
const sectionRow = (section, state, turn) =>
  element(
    'tr',
    {},
    element('td', {}, element(`span.swatch.part-${section.name}`), partName(section.name)),
    element('td.number', {}, grouped(section.bytesAfter)),
    element('td.number', {}, percent(section.bytesAfter, maxBytesAt(turn, state))),
    element('td.text', {}, sectionFate(section)),
    ...(turn.report.totalTokens === undefined
      ? []
      : [element('td.number', {}, section.tokensAfter === undefined ? '–' : grouped(section.tokensAfter))]),
  )

/** @param {HTMLCanvasElement} canvas @param {Turn} turn @param {State} state @param {ReturnType<typeof sectionsAt>} sections */
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
  const draw = (/** @type {string} */ part, /** @type {number} */ bytes, /** @type {boolean} */ isSent) => {
    const length = bytes * scale
    pen.globalAlpha = isSent ? 1 : 0.22
    pen.fillStyle = colors.getPropertyValue(`--${part}`)
    pen.fillRect(at, 0, Math.max(length > 3 ? length - ratio : length, 0.5), height)
    at += length
  }
  for (const { name, bytesBefore = 0, bytesAfter } of sections) {
    if (name === 'context') {
      const isSent = turn.messages.map((_, position) => ['kept', 'pinned'].includes(state.fates[position] ?? ''))
      draw(name, turn.table?.contextHeadingBytes ?? 0, isSent.includes(true))
      for (const { bytes, isKept } of runsOf(turn, isSent, 3 / scale)) draw(name, bytes, isKept)
    } else {
      draw(name, bytesAfter, state.row === null || state.row.fits)
      if (bytesBefore > bytesAfter) draw(name, bytesBefore - bytesAfter, false)
    }
  }
}

/**
 * The messages as pieces of a bar. Neighbours that are too small to be told apart, with the same fate, are one piece.
 * @param {Turn} turn
 * @param {boolean[]} isSent
 * @param {number} least
 */
const runsOf = (turn, isSent, least) => {
  /** @type {{ bytes: number, isKept: boolean }[]} */
  const runs = []
  const isSmall = turn.messages.reduce((sum, { bytes }) => sum + bytes, 0) / turn.messages.length < least
  turn.messages.forEach((message, position) => {
    const [last, bytes, isKept] = [runs.at(-1), message.bytes + 1, isSent[position] ?? false]
    if (isSmall && last !== undefined && last.isKept === isKept) last.bytes += bytes
    else runs.push({ bytes, isKept })
  })
  return runs
}

/** What a state means, in a sentence. @param {Turn} turn @param {State} state */
const sentence = (turn, state) => {
  const { row, budget, fates } = state
  if (row === null || turn.table === null) return ''
  const { required, unit } = turn.table
  if (!row.fits)
    return budget < required ? `Does not fit: at least ${grouped(required)} ${unit} are needed.` : 'Does not fit.'
  const changed = sectionsAt(turn, state).filter(({ name, action }) => name !== 'context' && action !== 'kept')
  const others = changed.map(({ name, action }) => `${partName(name)} ${action}`)
  return [
    `Keeps ${grouped(row.messages)} of ${counted(fates.length, 'message')}, ${sizeOf(row.totalBytes)}`,
    ...others,
  ].join('; ')
}

/** @param {Turn} turn @param {(budget: number) => void} onChange */
const sliderView = (turn, onChange) => {
  const { table: budgets } = turn
  if (budgets === null) return null
  const { required, unit } = budgets
  const asSent = budgetAsSent(turn)
  const whole = unit === 'tokens' ? (budgets.rows.at(-1)?.totalTokens ?? 0) : budgets.whole.totalBytes
  const least = Math.max(1, Math.min(required, asSent) - Math.ceil(whole / 50))
  const most = Math.max(whole, asSent < whole ? asSent : 0, least + 1)
  const step = Math.max(1, Math.floor((most - least) / SLIDER_STEPS))
  const range = /** @type {HTMLInputElement} */ (
    element('input', {
      type: 'range',
      min: least,
      max: most,
      step,
      id: 'budget-range',
      'aria-describedby': 'budget-says',
    })
  )
  const number = /** @type {HTMLInputElement} */ (
    element('input', { type: 'number', min: 1, step: 1, 'aria-label': `Budget in ${unit}, exactly` })
  )
  const reset = element('button', { type: 'button' }, 'As sent')
  const says = element('output', { id: 'budget-says', 'aria-live': 'polite' })
  const show = (/** @type {State} */ state) => {
    const { budget } = state
    range.value = String(Math.min(budget, most))
    range.setAttribute('aria-valuetext', `${grouped(budget)} ${unit}`)
    if (document.activeElement !== number) number.value = String(budget)
    const where = number.valueAsNumber === budget ? '' : ` (at ${grouped(budget)} ${unit})`
    says.textContent = sentence(turn, state) + where
    says.className = state.row !== null && !state.row.fits ? 'fails' : ''
  }
  range.addEventListener('input', () =>
    onChange(range.valueAsNumber >= most - step + 1 ? Math.max(most, range.valueAsNumber) : range.valueAsNumber),
  )
  number.addEventListener('input', () => {
    if (Number.isSafeInteger(number.valueAsNumber) && number.valueAsNumber > 0) onChange(number.valueAsNumber)
  })
  reset.addEventListener('click', () => {
    number.value = String(asSent)
    onChange(asSent)
  })
  const body = element(
    'div.slider',
    {},
    element(
      'div.slider-row',
      {},
      element('label', { for: 'budget-range' }, element('b', {}, 'What if the budget were')),
      range,
      number,
      element('span', {}, unit),
      reset,
    ),
    says,
    element(
      'p.soft',
      {},
      `${unit === 'tokens' ? 'Without this limit, the prompt has' : 'Everything fits into'} ${grouped(whole)} ${unit}; at least ${grouped(required)} are needed.`,
    ),
  )
  return { body, show }
}

module.exports = { budgetAsSent, budgetView, sectionsAt, sliderView, stateAt }
