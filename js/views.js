'use strict'
/** What an agent sees in a turn, as objects for the caller. */

/** Sender, addressee and content, one after the other, as messages. */
const messagesOf = (/** @type {string[]} */ fields) =>
  Array.from({ length: fields.length / 3 }, (_, index) => ({ from: fields[index * 3], to: fields[index * 3 + 1], content: fields[index * 3 + 2] }))

/**
 * What `getContextForRoute` returns besides the context.
 * @param {{ route: { parent: object | undefined, siblings: object[], siblingsInAll: number } | undefined }} view
 * @param {import('./turns.js').RouteFields} route
 */
const routeContext = ({ route: found }, { parentMessageId, targetMemberId, intent }) => {
  const siblingContext = found?.siblings ?? []
  const siblingTotalCount = found?.siblingsInAll ?? 0
  // As native code has read them: it replaces lone surrogates.
  const [parentId, targetId] = [parentMessageId ?? '', targetMemberId ?? ''].map((id) => id.toWellFormed())
  const shared = { parentMessageId: found && parentId, intent: intent ?? undefined }
  const meta = {
    ...shared,
    targetMemberId: targetId,
    siblingCount: siblingContext.length,
    siblingTotalCount,
    truncatedSiblings: siblingTotalCount > siblingContext.length,
  }
  return found ? { parentContext: found.parent, siblingContext, routeMeta: shared, meta } : { siblingContext, meta }
}

module.exports = { messagesOf, routeContext }
