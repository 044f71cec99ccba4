/** The settings with which a user overrides those of the conversation. An empty field changes nothing. */
import { button, element } from '../../explain/page/view/dom.js'
import type { PlayData } from '../page.js'

const AS_GIVEN = 'as in the input'
/** How many names are offered at most. */
const MOST_NAMES = 100

const field = (
  name: string,
  label: string,
  attributes: { [attribute: string]: string | number },
  offers?: string[],
) => {
  const input = element('input', { type: 'text', name, autocomplete: 'off', placeholder: AS_GIVEN, ...attributes })
  const list = element(
    'datalist',
    { id: `offers-${name}` },
    ...(offers ?? []).map((value) => element('option', { value })),
  )
  if (offers !== undefined) input.setAttribute('list', list.id)
  return { name, input, list, node: element('label', label, input, ...(offers === undefined ? [] : [list])) }
}

export const choicesForm = ({ agents, tokenizers }: Pick<PlayData, 'agents' | 'tokenizers'>, onChange: () => void) => {
  const number = { type: 'number', min: 1, step: 1, inputmode: 'numeric' }
  const fields = [
    field('agent', 'Agent', {}, agents),
    field('recipient', 'Recipient', {}, []),
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
  const recipients = fields.find(({ name }) => name === 'recipient')?.list
  return {
    node,
    clear,
    inputOf,
    /** What was typed. */
    values: () => Object.fromEntries(fields.map(({ name, input }) => [name, input.value])),
    /** Names to choose a recipient from. */
    offerNames(names: string[]) {
      recipients?.replaceChildren(...names.slice(0, MOST_NAMES).map((value) => element('option', { value })))
    },
  }
}
