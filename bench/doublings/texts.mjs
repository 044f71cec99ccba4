/** Texts that are made to take long. N is their size in bytes. */
import { ContextManager, PlainTextAssembler } from '../../index.js'

/** Smaller ones say nothing, and larger ones nothing else. */
const FROM = 32 * 1024
const MOST = 8 * 1024 * 1024

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
  const input = { contextMessages: [], currentMessage: flat(message), parentContext, maxBytes: 128 * 1024 * 1024 }
  return () => assembler.assemble(input, { as: 'buffer' })
}

/** @type {import('../doublings.mjs').Row[]} */
export const texts = [
  ...Object.entries(CONTENTS).map(([name, textOf]) => ({
    name: `text: ${name}`,
    from: FROM,
    most: MOST,
    of: (bytes) => adding(flat(textOf(bytes))),
  })),
  ...Object.entries(PARENTS).map(([name, textsOf]) => ({
    name: `text: a parent of ${name}`,
    from: FROM,
    most: MOST,
    of: (bytes) => assembling(textsOf(bytes)),
  })),
]
