'use strict'
/** The budget to scale, and the slider. */
const { fateOf, planAt } = require('../budget.js')
const { counted, grouped, partName, percent, sectionFate, sizeOf } = require('../words.js')
const { element, table } = require('./dom.js')

/** @typedef {import('../../turn.js').Turn} Turn */
/** @typedef {import('../budget.js').BudgetPlan} BudgetPlan */
/** @typedef {{ budget: number, plan: BudgetPlan | null, fates: string[] }} State What is shown: a plan, or what the report says. */

/** Steps of the slider: fewer than pixels, and never less than a byte. */
const SLIDER_STEPS = 2000

/** The fate of every message. @param {Turn} turn @param {BudgetPlan | null} plan */
const fatesOf = (turn, plan) => {
  const hasContext = turn.report.sections.some(({ name }) => name === 'context')
  const pins = new Set(turn.pinned)
  const context = { heading: 0, lines: [], pinned: [], windowStart: 0, detached: [], step: 1 }
  return turn.messages.map((_, position) => {
    if (!hasContext) return 'layout'
    if (plan !== null && !plan.fits) return 'fails'
    return pins.has(position) ? 'pinned' : fateOf(context, plan ?? turn.kept, position)
  })
}

/** @param {Turn} turn @param {number} budget @returns {State} */
const stateAt = (turn, budget) => {
  const plan = turn.sizes === null || budget === turn.report.maxBytes && turn.report.maxTokens !== undefined ? null : planAt(turn.sizes, budget)
  return { budget, plan, fates: fatesOf(turn, plan) }
}

/** The sections as they are with a plan. @param {Turn} turn @param {State} state @returns {import('../words.js').SectionSummary[]} */
const sectionsAt = ({ report, sizes }, { plan }) => {
  if (plan === null || sizes === null) return report.sections
  const whole = planAt(sizes, Number.MAX_SAFE_INTEGER)
  return plan.sections.map(({ name, prompt, flag }, at) => {
    const before = (whole.sections[at]?.prompt ?? 0) + (whole.sections[at]?.flag ?? 0)
    const bytesAfter = prompt + flag
    const items = itemsAt(name, sizes, plan)
    const isTrimmed = items !== undefined && items.itemsAfter < items.itemsBefore
    const action = bytesAfter === 0 ? 'dropped' : isTrimmed ? 'trimmed' : bytesAfter < before ? 'shortened' : 'kept'
    return { name, action, bytesBefore: before, bytesAfter, ...items }
  })
}

/** @param {string} name @param {import('../budget.js').Sizes} sizes @param {BudgetPlan} plan */
const itemsAt = (name, { context, siblings }, plan) => {
  if (name === 'siblings') return { itemsBefore: siblings.length, itemsAfter: plan.siblings }
  if (name !== 'context' || context === null) return undefined
  const older = context.pinned.filter((at) => at < plan.first).length
  return { itemsBefore: context.lines.length, itemsAfter: context.lines.length - plan.first + older }
}

/** Bars and table. @param {Turn} turn */
const budgetView = (turn) => {
  const sent = element('div.bar', { role: 'img' })
  const sentTitle = element('div.bar-title')
  const given = /** @type {HTMLCanvasElement} */ (element('canvas', { role: 'img', height: 32 }))
  const givenTitle = element('div.bar-title')
  const { box, rows } = table('Sections', ['section', '#bytes', '#share', 'what became of it', ...turn.report.totalTokens === undefined ? [] : ['#tokens']])
  const hasGiven = turn.messages.length > 0 && turn.whole !== null
  const body = element('div', {}, ...tokenBar(turn.report), sentTitle, sent, ...hasGiven ? [givenTitle, given] : [], box)

  /** @param {State} state */
  const show = (state) => {
    const sections = sectionsAt(turn, state)
    const total = state.plan === null ? turn.report.totalBytes : state.plan.totalBytes
    const isOver = state.plan !== null && !state.plan.fits
    sentTitle.replaceChildren(
      element('b', {}, 'Sent'),
      element('span', {}, `${grouped(total)} of ${grouped(state.budget)} bytes, ${percent(total, state.budget)}${isOver ? ': too much' : ''}`),
    )
    const widest = Math.max(state.budget, total, 1)
    sent.replaceChildren(...sections.filter(({ bytesAfter }) => bytesAfter > 0).map(({ name, bytesAfter }) => {
      const piece = element(`i.part-${name}`, { title: `${partName(name)}: ${grouped(bytesAfter)} bytes` })
      piece.style.flexBasis = `${(bytesAfter / widest) * 100}%`
      return piece
    }))
    sent.setAttribute('aria-label', `Sent: ${sections.map(({ name, bytesAfter }) => `${partName(name)} ${grouped(bytesAfter)} bytes`).join(', ')}`)
    rows.replaceChildren(...sections.map((section) => sectionRow(section, state, turn)))
    if (hasGiven) showGiven(state, sections)
  }

  /** Everything that was given: each section, each message, dim if it is not sent. @param {State} state @param {ReturnType<typeof sectionsAt>} sections */
  const showGiven = (state, sections) => {
    const kept = state.fates.filter((fate) => fate === 'kept' || fate === 'pinned').length
    givenTitle.replaceChildren(
      element('b', {}, 'Given, message by message'),
      element('span', {}, `${grouped(turn.whole ?? 0)} bytes; ${counted(kept, 'message')} of ${grouped(turn.messages.length)} kept, the others dim`),
    )
    given.setAttribute('aria-label', `Given: ${grouped(turn.whole ?? 0)} bytes, ${kept} of ${turn.messages.length} messages kept`)
    drawGiven(given, turn, state, sections)
  }
  return { body, show }
}

/** The prompt as it was sent, in tokens. @param {import('../words.js').Report} report */
const tokenBar = ({ sections, totalTokens = 0, maxTokens }) => {
  if (maxTokens === undefined) return []
  const pieces = sections.filter(({ tokensAfter = 0 }) => tokensAfter > 0).map(({ name, tokensAfter = 0 }) => {
    const piece = element(`i.part-${name}`, { title: `${partName(name)}: ${counted(tokensAfter, 'token')}` })
    piece.style.flexBasis = `${(tokensAfter / maxTokens) * 100}%`
    return piece
  })
  const says = `${grouped(totalTokens)} of ${counted(maxTokens, 'token')}, ${percent(totalTokens, maxTokens)}`
  return [
    element('div.bar-title', {}, element('b', {}, 'Sent, in tokens'), element('span', {}, says)),
    element('div.bar', { role: 'img', 'aria-label': `Sent: ${says}` }, ...pieces),
  ]
}

/** @param {import('../words.js').SectionSummary} section @param {State} state @param {Turn} turn */
const sectionRow = (section, { budget }, turn) => element('tr', {},
  element('td', {}, element(`span.swatch.part-${section.name}`), partName(section.name)),
  element('td.number', {}, grouped(section.bytesAfter)),
  element('td.number', {}, percent(section.bytesAfter, budget)),
  element('td.text', {}, sectionFate(section)),
  ...turn.report.totalTokens === undefined ? [] : [element('td.number', {}, section.tokensAfter === undefined ? '–' : grouped(section.tokensAfter))],
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
      draw(name, turn.sizes?.context?.heading ?? 0, isSent.includes(true))
      for (const { bytes, isKept } of runsOf(turn, isSent, 3 / scale)) draw(name, bytes, isKept)
    } else {
      draw(name, bytesAfter, state.plan === null || state.plan.fits)
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
const sentence = (turn, { plan, budget, fates }) => {
  if (plan === null || turn.sizes === null) return ''
  if (plan.unknown !== null) return `The page cannot tell for this budget: the ${plan.unknown} would be cut, and where depends on its text.`
  if (!plan.fits) return budget < turn.sizes.required ? `Does not fit: at least ${grouped(turn.sizes.required)} bytes are needed.` : 'Does not fit.'
  const kept = fates.filter((fate) => fate === 'kept' || fate === 'pinned').length
  const changed = sectionsAt(turn, { plan, budget, fates }).filter(({ name, action }) => name !== 'context' && action !== 'kept')
  const others = changed.map(({ name, action }) => `${partName(name)} ${action}`)
  return [`Keeps ${grouped(kept)} of ${counted(fates.length, 'message')}, ${sizeOf(plan.totalBytes)}`, ...others].join('; ')
}

/** @param {Turn} turn @param {(budget: number) => void} onChange */
const sliderView = (turn, onChange) => {
  const { sizes, report, whole } = turn
  if (sizes === null || whole === null) return null
  const least = Math.max(1, Math.min(sizes.required, report.maxBytes) - Math.ceil(whole / 50))
  const most = Math.max(whole, report.maxBytes < whole ? report.maxBytes : 0, least + 1)
  const step = Math.max(1, Math.floor((most - least) / SLIDER_STEPS))
  const range = /** @type {HTMLInputElement} */ (element('input', { type: 'range', min: least, max: most, step, id: 'budget-range', 'aria-describedby': 'budget-says' }))
  const number = /** @type {HTMLInputElement} */ (element('input', { type: 'number', min: 1, step: 1, 'aria-label': 'Budget in bytes, exactly' }))
  const reset = element('button', { type: 'button' }, 'As sent')
  const says = element('output', { id: 'budget-says', 'aria-live': 'polite' })
  const show = (/** @type {State} */ state) => {
    const { budget } = state
    range.value = String(Math.min(budget, most))
    range.setAttribute('aria-valuetext', `${grouped(budget)} bytes`)
    if (document.activeElement !== number) number.value = String(budget)
    says.textContent = sentence(turn, state)
    says.className = state.plan !== null && !state.plan.fits ? 'fails' : ''
  }
  range.addEventListener('input', () => onChange(range.valueAsNumber >= most - step + 1 ? Math.max(most, range.valueAsNumber) : range.valueAsNumber))
  number.addEventListener('input', () => {
    if (Number.isSafeInteger(number.valueAsNumber) && number.valueAsNumber > 0) onChange(number.valueAsNumber)
  })
  reset.addEventListener('click', () => {
    number.value = String(report.maxBytes)
    onChange(report.maxBytes)
  })
  const body = element('div.slider', {},
    element('div.slider-row', {}, element('label', { for: 'budget-range' }, element('b', {}, 'What if the budget were')), range, number, element('span', {}, 'bytes'), reset),
    says,
    element('p.soft', {}, `Everything fits into ${grouped(whole)} bytes; at least ${grouped(sizes.required)} are needed.`))
  return { body, show }
}

module.exports = { budgetView, sliderView, stateAt }
