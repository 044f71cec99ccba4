/** Starts the playground: sends what was typed, and shows what the engine makes of it. The newest answer wins. */
import { counted, messageName, sizeOf, visibleLine } from '../../explain/page/words.js'
import { button, byId, choiceOf, element, textBox, textNodes } from '../../explain/page/view/dom.js'
import { emptyMemory, showTurn } from '../../explain/page/view/turn-view.js'
import { choicesForm } from './play-form.js'
import { stateView } from './play-state.js'
import { conversationText, fileInput } from './play-text.js'
import type { Answer, Made, Problem } from '../answer.js'
import type { PlayData } from '../page.js'
import type { ShownMessage } from '../../explain/turn.js'

const { examples, given, limit, agents, tokenizers }: PlayData = JSON.parse(byId('data').textContent ?? '')

/** Wait for a pause in typing, longer for long texts. */
const DELAY_MS = 150
const LONG_DELAY_MS = 500
const LONG_TEXT = 200_000

let memory = emptyMemory()
let shown: Made | undefined
let request: AbortController | undefined
let timer: ReturnType<typeof setTimeout> | undefined

const text = conversationText(limit, (problem) => (problem === undefined ? changed() : fail(problem)))
const form = choicesForm({ agents, tokenizers }, () => changed())
const state = stateView(text.select, (unit, budget) => {
  form.inputOf(`max-${unit}`).value = String(budget)
  changed()
})
const place = element('div')
const old = element('p.soft', { hidden: true }, 'The last prompt that could be assembled is shown below.')
const result = element('div')
const copied = element('span.soft', { role: 'status' })
const copy = button('Copy', () => {
  navigator.clipboard.writeText(shown?.prompt ?? '').then(
    () => (copied.textContent = 'Copied.'),
    () => (copied.textContent = 'The browser does not allow it: select the text and copy it.'),
  )
})
const promptText = textBox('The exact prompt')
const flagText = textBox('The system flag')
const flagTitle = element('b', 'The system flag')
const exact = element(
  'details.exact',
  element('summary.plain', 'The exact prompt'),
  element('div', copy, copied),
  promptText,
  element('div', flagTitle),
  flagText,
)
/** The messages that are pinned now, as they are named. */
const pinnedNames = () => {
  const typed = form.inputOf('pins').value.trim()
  if (typed !== '') return typed === 'none' ? [] : typed.split(/[\s,]+/)
  return shown?.turn.pinned.map((line) => messageName(shown?.turn.messages[line] ?? { index: line })) ?? []
}

const pinButton = (message: ShownMessage) => {
  const name = messageName(message)
  const isPinned = shown?.turn.pinned.some((line) => shown?.turn.messages[line] === message) === true
  const toggle = () => {
    const names = pinnedNames()
    const isOther = (other: string) => other !== name && other !== String(message.index)
    const next = isPinned ? names.filter(isOther) : [...names, name]
    form.inputOf('pins').value = next.length === 0 ? 'none' : next.join(', ')
    changed(`[data-pin="${message.index}"]`)
  }
  const label = `${isPinned ? 'Unpin' : 'Pin'} ${name}`
  return element('div.row-tools', button(label, toggle, { 'data-pin': message.index }))
}

const showMade = (made: Made, focus?: string) => {
  shown = made
  state.made(made)
  result.classList.remove('stale')
  old.hidden = true
  exact.hidden = false
  promptText.replaceChildren(...textNodes(made.prompt))
  flagTitle.hidden = flagText.hidden = made.systemFlag === ''
  flagText.replaceChildren(...textNodes(made.systemFlag))
  copied.textContent = ''
  form.offerNames(made.turn.messages.flatMap(({ from, to }) => [from, ...(to === 'all' ? [] : to.split(', '))]))
  showTurn(place, made.turn, Object.assign(memory, { toolsOf: pinButton }))
  if (focus !== undefined) document.querySelector<HTMLElement>(focus)?.focus()
}

/** @param problem From the engine, or a sentence of the page. */
const fail = (problem: Problem | string) => {
  state.problem(typeof problem === 'string' ? { code: '', message: problem } : problem)
  result.classList.toggle('stale', shown !== undefined)
  old.hidden = shown === undefined
}

const send = async (focus?: string) => {
  request?.abort()
  const own = (request = new AbortController())
  const conversation = text.value()
  if (conversation.trim() === '') return fail('Paste a conversation, open a file, or start from an example.')
  const body = new Blob([JSON.stringify({ conversation, choices: form.values() })], { type: 'application/json' })
  if (body.size > limit)
    return fail(`This conversation has ${sizeOf(body.size)} as a request, and at most ${sizeOf(limit)} can be sent.`)
  try {
    // The body says that it is JSON.
    const response = await fetch('prompt', { method: 'POST', body, signal: own.signal })
    const answer: Answer = await response.json()
    if (own.signal.aborted) return undefined
    return 'problem' in answer ? fail(answer.problem) : showMade(answer, focus)
  } catch {
    if (own.signal.aborted) return undefined
    return fail('promptmason play does not answer: it has ended. Start it again.')
  }
}

const changed = (focus?: string) => {
  clearTimeout(timer)
  request?.abort()
  state.working()
  timer = setTimeout(() => void send(focus), text.value().length > LONG_TEXT ? LONG_DELAY_MS : DELAY_MS)
}

const startFrom = (next: string, name: string) => {
  memory = emptyMemory()
  form.clear()
  text.set(next, name)
  changed()
}

const choice = choiceOf([
  ...(given === null ? [] : [[-1, visibleLine(given.name)] as const]),
  ...examples.map(({ name, about }, at) => [at, `${name}: ${about}`] as const),
])
choice.addEventListener('change', () => {
  const example = examples[Number(choice.value)] ?? given
  if (example) startFrom(example.text, example.name)
})
const opener = fileInput((file) => {
  memory = emptyMemory()
  void text.open(file)
})
const controls = element(
  'form.controls',
  { 'aria-label': 'Conversation' },
  element('div.start', element('label', `Start from (${counted(examples.length, 'example')})`, choice), opener),
  element('div', ...text.nodes),
  form.node,
)
controls.addEventListener('submit', (event) => event.preventDefault())
exact.hidden = true
result.append(old, exact, place)
byId('main').replaceChildren(element('div.play', controls, element('div.result', state.node, result)))
const first = given ?? examples[0]
if (first) startFrom(first.text, first.name)
