/** The message to act on, if it is a message of the conversation. */
import native = require('../../binding.js')
import { isMissing, object, string } from '../checks/kinds.js'
import { pathOf, typeProblem } from '../checks/problems.js'
import { checkParts } from '../messages/parts.js'
import { addresseeNames } from './materials.js'
import type { Name } from '../checks/problems.js'

/** A message with its sender. */
export interface SentMessage {
  from: string
  /** One text; empty for everyone. */
  to: string
  /** The addressees, if they were given as an array. */
  names: string[] | undefined
  text: string
  path: string
}

export const sentMessage = (value: unknown, parent: string, name: Name): SentMessage => {
  const { from, to, content, parts } = object(value, parent, name)
  const path = pathOf(parent, name)
  const given = isMissing(parts) ? undefined : checkParts(parts, content, path)
  if (given?.parts.some(({ type }) => type !== 'text') === true)
    throw typeProblem(`${path}.parts must be texts: only a ContextManager shows other parts of the message to act on`)
  const names = isMissing(to) || typeof to === 'string' ? undefined : addresseeNames(to, path, 'to')
  return {
    from: string(from, path, 'from'),
    to: typeof to === 'string' ? to : (names?.join(', ') ?? ''),
    names,
    text: given?.content ?? string(content, path, 'content'),
    path,
  }
}

/** Rejects a message that is for others. */
export const checkRecipient = ({ from, to, names, path }: SentMessage, recipient: string) => {
  if (native.maySee(recipient, from, to, names)) return
  throw typeProblem(`${path} must be a message that ${recipient} may see, got one from ${from} to ${to}`)
}
