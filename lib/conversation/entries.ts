/**
 * What the log of a conversation consists of. Each entry is something that has happened. `content.ts`
 * does what they say.
 *
 * | entry                                | says                                                        |
 * | ------------------------------------ | ----------------------------------------------------------- |
 * | `start`                              | the format, and the key that marks the programs of its turns; in a compacted log, also what its messages do not say |
 * | `message`, `update`, `remove`, `pin` | what became of a message                                    |
 * | `task`                               | what the team works on, by `setTask` or by the definition   |
 * | `adopted`                            | the messages of a stored session were added                 |
 * | `begun`                              | a prompt is about to be sent to a session of a CLI          |
 * | `ended`                              | it did not get there                                        |
 * | `turn`                               | it was answered; what the member has been shown by then     |
 * | `lost`                               | the session is not to be resumed                            |
 * | `left`                               | a member was removed                                        |
 * | `summary`                            | what a member sees in the place of older messages           |
 * | `void`                               | the entries before this one were not meant (`log.ts`)       |
 */
import { makeError } from '../errors.js'
import type { MemberRecord } from '../manager/logged.js'
import type { ContextSnapshotJson } from '../manager/snapshots.js'
import type { ConversationMessage, MessageChanges } from '../messages/messages.js'
import type { TokenEstimate } from '../tokens/tokenizer.js'
import type { sessionKey } from './members.js'

/** The session of a CLI or a function, and its tokens. */
export type StoredSession = ReturnType<typeof sessionKey> & { id: string; tokens?: number }

/** What a member needs for its next turn. */
export interface KeptMember {
  session: StoredSession | undefined
  /** The number of the newest message when its last prompt was made. */
  seenUpTo: number
  /** What the tokenizer has learned. */
  estimate: TokenEstimate | undefined
}

/** Later formats have other numbers. */
export const FORMAT = 2

/** What the messages of a compacted log do not say. */
export interface Compacted {
  /** How many entries of messages come first. */
  messages: number
  last: number
  definedTask?: string | null
  members: { [name: string]: KeptMember }
  adopted: string[]
  snapshot: Omit<ContextSnapshotJson, 'messages'>
}

/** A message, also after a round trip through JSON. */
export type StoredMessage = ContextSnapshotJson['messages'][number]

/** What a member has been shown, and in which session. */
interface Shown {
  member: string
  session: StoredSession | null
  seenUpTo: number
}

/** What the log says. */
export type Entry =
  | { type: 'start'; format: number; key?: string; compacted?: Compacted }
  | { type: 'message'; message: StoredMessage }
  | ({ type: 'adopted'; messages: StoredMessage[]; source?: string | undefined } & Shown)
  | { type: 'update'; id: string; changes: MessageChanges }
  | { type: 'remove'; id: string }
  | { type: 'pin'; id: string; pinned: boolean }
  | { type: 'task'; task: string | null; isDefined?: true }
  | { type: 'begun' | 'ended' | 'left'; member: string }
  | { type: 'summary'; member: string; upTo: string; text: string }
  | { type: 'lost'; member: string; isReplaced?: boolean }
  | ({ type: 'turn'; message: ConversationMessage; estimate?: TokenEstimate | undefined; shown: MemberRecord } & Shown)

export const numberOf = (id: string) => Number(/^msg-(\d+)$/.exec(id)?.[1] ?? 0)

export const unreadable = (problem: string) =>
  makeError('Error', `the stored conversation cannot be read: ${problem}`, { code: 'ERR_INVALID_SNAPSHOT' })
