/** The conversation: typed or pasted, opened or dropped. A large one is kept aside, since no field can edit it. */
import { sizeOf, visibleLine } from '../../explain/page/words.js'
import { button, element } from '../../explain/page/view/dom.js'

/** From this many UTF-16 units on, a text is kept aside. */
const LARGE_TEXT = 400_000

/** @param limit The most bytes that a file may have. */
export const conversationText = (limit: number, onChange: (problem?: string) => void) => {
  const area = element('textarea', { id: 'conversation', spellcheck: 'false', autocapitalize: 'off', wrap: 'off' })
  const label = element('label', { for: 'conversation' }, 'Conversation, as JSON')
  const held = element('div.held', { hidden: true })
  let large: string | undefined

  const remove = button('Remove', () => {
    set('', '')
    area.focus()
    onChange()
  })
  const set = (text: string, name: string) => {
    large = text.length > LARGE_TEXT ? text : undefined
    const says = `${visibleLine(name)}, ${sizeOf(new Blob([text]).size)}: too large to be edited here, but used as it is.`
    held.replaceChildren(element('span', says), remove)
    area.value = large === undefined ? text : ''
    area.scrollTop = 0
    area.scrollLeft = 0
    area.hidden = large !== undefined
    held.hidden = large === undefined
  }
  const open = async (file: File) => {
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
    select(line: number, column: number) {
      const lines = area.value.split('\n')
      const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0)
      const at = before + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length
      area.focus()
      area.setSelectionRange(at, at + 1)
    },
  }
}

/** A button that opens a file, and a page that accepts dropped files. */
export const fileInput = (onFile: (file: File) => void) => {
  const attributes = { accept: '.json,application/json', hidden: true, tabindex: -1, 'aria-hidden': 'true' }
  const input = element('input', { type: 'file', ...attributes })
  const take = ([file]: Iterable<File> = []) => {
    if (file !== undefined) onFile(file)
  }
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])]
    input.value = ''
    take(files)
  })
  const mark = (isOver: boolean) => document.body.classList.toggle('dropping', isOver)
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
    take(event.dataTransfer?.files)
  })
  const opener = button('Open a file …', () => input.click())
  return element('div', opener, input)
}
