'use strict'
/** The settings with which a user overrides those of the conversation. An empty field changes nothing. */
const { element } = require('../../explain/page/view/dom.js')

/** @typedef {{ agents: string[], tokenizers: string[] }} Offers */

const AS_GIVEN = 'as in the input'
/** How many names are offered at most. */
const MOST_NAMES = 100

/** @param {string} name @param {string} label @param {{ [attribute: string]: string | number }} attributes @param {string[]} [offers] */
const field = (name, label, attributes, offers) => {
  const input = /** @type {HTMLInputElement} */ (
    element('input', { type: 'text', name, autocomplete: 'off', placeholder: AS_GIVEN, ...attributes })
  )
  const list = element(
    'datalist',
    { id: `offers-${name}` },
    ...(offers ?? []).map((value) => element('option', { value })),
  )
  if (offers !== undefined) input.setAttribute('list', list.id)
  return { name, input, list, node: element('label', {}, label, input, ...(offers === undefined ? [] : [list])) }
}

/** @param {Offers} offers @param {() => void} onChange */
const choicesForm = ({ agents, tokenizers }, onChange) => {
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
  const inputOf = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement} */ (fields.find((one) => one.name === name)?.input)
  const reset = element('button', { type: 'button' }, 'Clear overrides')
  const clear = () => {
    for (const { input } of fields) input.value = ''
  }
  reset.addEventListener('click', () => {
    clear()
    onChange()
  })
  const node = element(
    'fieldset.choices',
    {},
    element('legend', {}, 'Override the input'),
    ...fields.map((one) => one.node),
    element('div', {}, reset),
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
    offerNames(/** @type {string[]} */ names) {
      recipients?.replaceChildren(...names.slice(0, MOST_NAMES).map((value) => element('option', { value })))
    },
  }
}

module.exports = { choicesForm }
