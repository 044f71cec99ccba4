/** Answers an agent's requests for permission. */
import type { AcpSettings } from '../plan.js'

/** What tools do, by the protocol's names. */
const READING = new Set(['read', 'search', 'fetch', 'think'])
const EDITING = new Set([...READING, 'edit', 'delete', 'move'])

type Permissions = NonNullable<AcpSettings['permissions']>

/** An answer that the agent offers. */
export interface PermissionOption {
  optionId: string
  kind: string
}

const isAllowed = (permissions: Permissions, kind: unknown) => {
  if (permissions === 'all') return true
  const kinds = { 'read-only': READING, edit: EDITING, default: new Set() }[permissions]
  return kinds.has(String(kind))
}

/**
 * The answer, which applies once, not forever. No user is asked: whatever is not allowed is rejected.
 * @param kind What the tool does.
 * @returns `optionId` is undefined if the agent offers no such option.
 */
export const answerTo = (
  permissions: Permissions | undefined,
  kind: unknown,
  options: readonly PermissionOption[],
): { optionId: string | undefined; isGranted: boolean } => {
  const isWanted = isAllowed(permissions ?? 'default', kind)
  const kinds = isWanted ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always']
  const optionId = kinds.map((each) => options.find((option) => option.kind === each)).find(Boolean)?.optionId
  return { optionId, isGranted: isWanted && optionId !== undefined }
}
