/** The slider: what another budget would keep. */
import { budgetAsSent, sectionsAt, totalAt, type State } from '../state.js'
import { counted, grouped, partName, sizeIn } from '../words.js'
import { button, element } from './dom.js'
import type { Turn } from '../../turn.js'

/** Steps of the slider: fewer than pixels, and never less than a byte. */
const SLIDER_STEPS = 2000

const sentence = (turn: Turn, state: State) => {
  const { row, budget, fates } = state
  if (row === null || turn.table === null) return ''
  const { required, unit } = turn.table
  if (!row.fits)
    return budget < required ? `Does not fit: at least ${grouped(required)} ${unit} are needed.` : 'Does not fit.'
  const changed = sectionsAt(turn, state).filter(({ name, action }) => name !== 'context' && action !== 'kept')
  const others = changed.map(({ name, action }) => `${partName(name)} ${action}`)
  const kept = `Keeps ${grouped(row.messages)} of ${counted(fates.length, 'message')}`
  return [`${kept}, ${sizeIn(totalAt(turn, state), unit)}`, ...others].join('; ')
}

export const sliderView = (turn: Turn, onChange: (budget: number) => void) => {
  const { table: budgets } = turn
  if (budgets === null) return null
  const { required, unit } = budgets
  const asSent = budgetAsSent(turn)
  // With a token budget, the byte budget still applies.
  const whole = unit === 'tokens' ? (budgets.rows.at(-1)?.totalTokens ?? 0) : budgets.whole.totalBytes
  const least = Math.max(1, Math.min(required, asSent) - Math.ceil(whole / 50))
  const most = Math.max(whole, asSent < whole ? asSent : 0, least + 1)
  const step = Math.max(1, Math.floor((most - least) / SLIDER_STEPS))
  const ids = { id: 'budget-range', 'aria-describedby': 'budget-says' }
  const range = element('input', { type: 'range', min: least, max: most, step, ...ids })
  const number = element('input', { type: 'number', min: 1, step: 1, 'aria-label': `Budget in ${unit}, exactly` })
  const reset = button('As sent', () => {
    number.value = String(asSent)
    onChange(asSent)
  })
  const says = element('output', { id: 'budget-says', 'aria-live': 'polite' })
  const show = (state: State) => {
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
  const everything =
    unit === 'tokens'
      ? 'Without this limit, the prompt has'
      : turn.report.maxTokens === undefined
        ? 'Everything fits into'
        : 'Apart from the token budget, everything fits into'
  const label = element('label', { for: 'budget-range' }, element('b', 'What if the budget were'))
  const row = element('div.slider-row', label, range, number, element('span', unit), reset)
  const needs = `${everything} ${grouped(whole)} ${unit}; at least ${grouped(required)} are needed.`
  return { body: element('div.slider', row, says, element('p.soft', needs)), show }
}
