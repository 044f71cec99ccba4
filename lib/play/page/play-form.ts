/** The settings with which a user overrides those of the conversation. An empty field changes nothing. */
import { button, element, type Attributes } from '../../explain/page/view/dom.js'
import type { PlayData } from '../page.js'

const AS_GIVEN = 'as in the input'
const MOST_NAMES = 100

const field = (name: string, label: string, attributes: Attributes, offers?: string[]) => {
  const input = element('input', { type: 'text', name, autocomplete: 'off', placeholder: AS_GIVEN, ...attributes })
  const list = element('datalist', { id: `offers-${name}` })
  const offer = (values: string[]) => list.replaceChildren(...values.map((value) => element('option', { value })))
  const node = element('label', label, input)
  if (offers !== undefined) {
    input.setAttribute('list', list.id)
    offer(offers)
    node.append(list)
  }
  return { name, input, node, offer }
}

export const choicesForm = ({ agents, tokenizers }: Pick<PlayData, 'agents' | 'tokenizers'>, onChange: () => void) => {
  const number = { type: 'number', min: 1, step: 1, inputmode: 'numeric' }
  const recipient = field('recipient', 'Recipient', {}, [])
  const fields = [
    field('agent', 'Agent', {}, agents),
    recipient,
    field('max-bytes', 'Budget in bytes', number),
    field('max-tokens', 'Budget in tokens', number),
    field('tokenizer', 'Tokenizer', { title: 'o200k, cl100k, or a number of bytes per token' }, tokenizers),
    field('window', 'Window', { ...number, min: 0 }),
    field('pins', 'Pins', { title: 'numbers or ids of messages, or none' }),
  ]
  const inputOf = (name: string) => fields.find((one) => one.name === name)?.input as HTMLInputElement
  const clear = () => {
    for (const { input } of fields) input.value = ''
  }
  const reset = button('Clear overrides', () => {
    clear()
    onChange()
  })
  const node = element(
    'fieldset.choices',
    element('legend', 'Override the input'),
    ...fields.map((one) => one.node),
    element('div', reset),
  )
  node.addEventListener('input', onChange)
  return {
    node,
    clear,
    inputOf,
    values: () => Object.fromEntries(fields.map(({ name, input }) => [name, input.value])),
    offerNames: (names: string[]) => recipient.offer([...new Set(names)].slice(0, MOST_NAMES)),
  }
}
