'use strict'
/** Answers an agent's requests for permission. */

/** What tools do, by the protocol's names. */
const READING = new Set(['read', 'search', 'fetch', 'think'])
const EDITING = new Set([...READING, 'edit', 'delete', 'move'])

/** @typedef {NonNullable<import('../../../index.d.ts').AcpSettings['permissions']>} Permissions */

/**
 * @param {Permissions} permissions
 * @param {unknown} kind
 */
const isAllowed = (permissions, kind) => {
  if (permissions === 'all') return true
  const kinds = { 'read-only': READING, edit: EDITING, default: new Set() }[permissions]
  return kinds.has(String(kind))
}

/**
 * The answer, which applies once, not forever. No user is asked: whatever is not allowed is rejected.
 * @param {Permissions | undefined} permissions
 * @param {unknown} kind What the tool does.
 * @param {readonly { optionId: string, kind: string }[]} options
 * @returns {{ optionId: string | undefined, isGranted: boolean }} `optionId` is undefined if the agent offers no such option.
 */
const answerTo = (permissions, kind, options) => {
  const isWanted = isAllowed(permissions ?? 'default', kind)
  const kinds = isWanted ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always']
  const optionId = kinds.map((each) => options.find((option) => option.kind === each)).find(Boolean)?.optionId
  return { optionId, isGranted: isWanted && optionId !== undefined }
}

module.exports = { answerTo }
