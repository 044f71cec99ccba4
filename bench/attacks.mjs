/**
 * Texts designed to be slow. Each is measured at about half a megabyte and at twice that size: linear
 * code takes twice as long, quadratic code four times.
 *
 *     node --expose-gc bench/attacks.mjs [--quick]
 */
import { ContextManager, PlainTextAssembler } from '../index.js'
import { printDoubled } from './doubled.mjs'

const BYTES = 512 * 1024

const filled = (piece, bytes) => piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece)))

/** Runs of increasing length, as many as fit. */
const growingRuns = (bytes) => {
  let text = ''
  for (let length = 1; text.length < bytes; length++) text += `${'`'.repeat(length)}[NEXT:a]`
  return text
}

/** Contents of a message that is added to a conversation. */
const CONTENTS = {
  'long blank line, then markers': (bytes) => `${filled(' ', bytes / 2)}\n${filled('[NEXT:a]\n\n', bytes / 2)}`,
  'long line, then tasks over two lines': (bytes) => filled('x', bytes / 2) + filled('[TEAM_TASK:\n]', bytes / 2),
  'nested markers': (bytes) => filled('[NEXT:', (bytes * 6) / 7) + filled(']', bytes / 7),
  'markers that form one by one': (bytes) =>
    `${filled('[NE', (bytes * 3) / 8)}[NEXT:a]${filled('XT:b]', (bytes * 5) / 8)}`,
  'unclosed openings on one line': (bytes) => filled('[NEXT:', bytes),
  'unclosed tasks on many lines': (bytes) => filled('[TEAM_TASK: a\n', bytes),
  'blank lines and titles': (bytes) => `[TEAM_TASK]\n${filled('\n[1]\n\n[a\n', bytes)}`,
  'task titles': (bytes) => filled('[TEAM_TASK]\n\n[A]\n\n', bytes),
  'task titles without text': (bytes) => filled('[TEAM_TASK]\n\n', bytes),
  'task titles that form one by one': (bytes) => filled('[TEAM_[NEXT:a]TASK]\n\n[A]\n\n', bytes),
  'unclosed fences': (bytes) => filled('````\n[NEXT:a]\n```\n~~~\n', bytes),
  'fences that a marker hides': (bytes) => filled('[NEXT:a]```\n```\n[NEXT:b]', bytes),
  'backtick runs of growing length': growingRuns,
  'backticks without a partner': (bytes) => `${filled('` `` ', bytes)}\n\n[NEXT:a]`,
  'one huge line': (bytes) => `${filled('a [b] c: d ', bytes)}[NEXT:a]`,
  'one huge line of markers': (bytes) => filled('a [NEXT:b] ', bytes),
  'CRLF and markers': (bytes) => filled('[NEXT:a]\r\n \r\n', bytes),
}

const OMISSION = '\n[… 1 bytes omitted …]\n'

/**
 * A parent message and a current message of about the same size. By its length, the parent could be
 * a shortened copy of the current message, cut at any of its lines.
 */
const PARENTS = {
  'omission lines': (bytes) => {
    const lines = filled(OMISSION, bytes)
    return { parent: `a${lines}b`, message: `a${lines.slice(OMISSION.length)}xb` }
  },
}

/** Flat strings, like text from outside. */
const flat = (text) => Buffer.from(text).toString()

const adding = (content) => () => {
  const manager = new ContextManager()
  manager.addMessage({ speaker: { id: 'max', name: 'Max', type: 'human' }, content })
  return manager
}

const assembling = ({ parent, message }) => {
  const assembler = new PlainTextAssembler()
  const parentContext = { from: 'Max', to: 'all', content: flat(parent) }
  const input = { contextMessages: [], currentMessage: flat(message), parentContext, maxBytes: 8 * BYTES }
  return () => assembler.assemble(input, { as: 'buffer' })
}

const ATTACKS = [
  ...Object.entries(CONTENTS).map(([name, textOf]) => ({
    name: `addMessage: ${name}`,
    runOf: (bytes) => adding(flat(textOf(bytes))),
  })),
  ...Object.entries(PARENTS).map(([name, textsOf]) => ({
    name: `assemble: a parent of ${name}`,
    runOf: (bytes) => assembling(textsOf(bytes)),
  })),
]

await printDoubled(ATTACKS.map(({ name, runOf }) => ({ name, once: runOf(BYTES), twice: runOf(2 * BYTES) })))
