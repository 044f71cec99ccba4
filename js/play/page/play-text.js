'use strict'
/** The conversation: typed or pasted, opened or dropped. A large one is kept aside, since no field can edit it. */
const { visibleLine } = require('../../explain/page/visible.js')
const { sizeOf } = require('../../explain/page/words.js')
const { element } = require('../../explain/page/view/dom.js')

/** From this many UTF-16 units on, a text is kept aside. */
const LARGE_TEXT = 400_000

/**
 * @param {number} limit The most bytes that a file may have.
 * @param {(problem?: string) => void} onChange
 */
const conversationText = (limit, onChange) => {
  const area = /** @type {HTMLTextAreaElement} */ (
    element('textarea', { id: 'conversation', spellcheck: 'false', autocapitalize: 'off', wrap: 'off' })
  )
  const label = element('label', { for: 'conversation' }, 'Conversation, as JSON')
  const held = element('div.held', { hidden: true })
  /** @type {string | undefined} */
  let large

  /** @param {string} text @param {string} name */
  const hold = (text, name) => {
    large = text
    const remove = element('button', { type: 'button' }, 'Remove')
    remove.addEventListener('click', () => {
      set('', '')
      area.focus()
      onChange()
    })
    const size = sizeOf(new Blob([text]).size)
    held.replaceChildren(
      element('span', {}, `${visibleLine(name)}, ${size}: too large to be edited here, but used as it is.`),
      remove,
    )
  }
  /** @param {string} text @param {string} name */
  const set = (text, name) => {
    large = undefined
    if (text.length > LARGE_TEXT) hold(text, name)
    area.value = large === undefined ? text : ''
    area.scrollTop = 0
    area.scrollLeft = 0
    area.hidden = large !== undefined
    held.hidden = large === undefined
  }
  /** @param {File} file */
  const open = async (file) => {
    if (file.size > limit)
      return onChange(`${file.name} has ${sizeOf(file.size)}, and at most ${sizeOf(limit)} can be sent.`)
    try {
      set(new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()), file.name)
      onChange()
    } catch (error) {
      onChange(error instanceof TypeError ? `${file.name} is not UTF-8.` : `${file.name} cannot be read.`)
    }
  }
  area.addEventListener('input', () => onChange())
  area.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (text.length <= LARGE_TEXT) return
    event.preventDefault()
    set(text, 'the text that was pasted')
    onChange()
  })
  return {
    nodes: [label, area, held],
    set,
    open,
    value: () => large ?? area.value,
    /** Puts the cursor where a mistake is. */
    select(/** @type {number} */ line, /** @type {number} */ column) {
      const lines = area.value.split('\n')
      const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0)
      const at = before + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length
      area.focus()
      area.setSelectionRange(at, at + 1)
    },
  }
}

/** A button that opens a file, and a page that accepts dropped files. @param {(file: File) => void} onFile */
const fileInput = (onFile) => {
  const input = /** @type {HTMLInputElement} */ (
    element('input', {
      type: 'file',
      accept: '.json,application/json',
      hidden: true,
      tabindex: -1,
      'aria-hidden': 'true',
    })
  )
  const button = element('button', { type: 'button' }, 'Open a file …')
  button.addEventListener('click', () => input.click())
  input.addEventListener('change', () => {
    const [file] = input.files ?? []
    input.value = ''
    if (file !== undefined) onFile(file)
  })
  const mark = (/** @type {boolean} */ isOver) => document.body.classList.toggle('dropping', isOver)
  document.addEventListener('dragover', (event) => {
    event.preventDefault()
    mark(true)
  })
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) mark(false)
  })
  document.addEventListener('drop', (event) => {
    event.preventDefault()
    mark(false)
    const [file] = event.dataTransfer?.files ?? []
    if (file !== undefined) onFile(file)
  })
  return element('div', {}, button, input)
}

module.exports = { conversationText, fileInput }
