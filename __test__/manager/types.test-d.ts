/** Checked by `npm run typecheck`, never run: custom message types need no casts. */
import {
  type BudgetExceededError,
  ContextManager,
  type ContextManagerOptions,
  type ContextSnapshot,
  type ContextSnapshotJson,
  type ConversationMessage,
  type ConversationMessageJson,
  type IContextProvider,
  type InternalError,
  type InvalidArgTypeError,
  type JsonForm,
  type MessageSpeaker,
  type NewMessage,
  type OutOfRangeError,
  type PromptmasonError,
  type PromptmasonErrorCode,
  isPromptmasonError,
} from 'promptmason'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isSame = <A, B>(same: Same<A, B>): boolean => same

type Id = string & { readonly __brand: 'id' }

/** Branded id, required date, speakers by role, fields of its own. */
interface MyMessage {
  id: Id
  timestamp: Date
  speaker: { roleId: string; roleName: string; roleTitle: string; type: 'ai' | 'human' }
  content: string
  routing?: { resolvedAddressees: { identifier: string }[] }
  mood: 'calm' | 'angry'
}
declare const draft: Omit<MyMessage, 'id'>
declare const full: MyMessage

// Passed without an id, returned unchanged.
const manager = new ContextManager<MyMessage>()
const added: MyMessage = manager.addMessage(draft)
isSame<Parameters<typeof manager.addMessage>[0], Omit<MyMessage, 'id'>>(true)
isSame<ReturnType<typeof manager.getMessages>, MyMessage[]>(true)
isSame<ReturnType<typeof manager.getLatestMessage>, MyMessage | null>(true)
isSame<ReturnType<typeof manager.exportSnapshot>, ContextSnapshot<MyMessage>>(true)
export const id: Id | undefined = manager.getMessages()[0]?.id
export const mood: 'calm' | 'angry' = added.mood
manager.addMessage({
  timestamp: new Date(),
  speaker: { roleId: 'a', roleName: 'A', roleTitle: 'x', type: 'ai' },
  content: '',
  mood: 'calm',
})
// An id is replaced, so a whole message can be added again.
manager.addMessage(full)
// @ts-expect-error the mood is missing
manager.addMessage({ timestamp: new Date(), speaker: draft.speaker, content: '' })
// @ts-expect-error the timestamp is missing
manager.addMessage({ speaker: draft.speaker, content: '', mood: 'calm' })
// @ts-expect-error not a type of this caller's speakers
manager.addMessage({ ...draft, speaker: { ...draft.speaker, type: 'system' } })

// The type comes from the hook, too.
const hooked = new ContextManager({ onMessageAdded: (message: MyMessage) => void message.mood })
isSame<ReturnType<typeof hooked.getMessages>, MyMessage[]>(true)
const usual = new ContextManager({
  onMessageAdded: ({ id: given, speaker }) => void [given, speaker.name, speaker.roleName],
})
isSame<ReturnType<typeof usual.getMessages>, ConversationMessage[]>(true)
export const partly = new ContextManager({ onMessageAdded: (message: { content: string }) => void message.content })
export const logging = new ContextManager({ onMessageAdded: () => {}, logger: console })
export const options: ContextManagerOptions<MyMessage> = {
  contextWindowSize: undefined,
  maxBytes: null,
  onMessageAdded: (message) => void message.mood,
  onTeamTaskChanged: undefined,
  logger: null,
  assemblers: { 'claude-code': { headings: { message: undefined, context: null } }, mine: undefined },
}

// Providers of the same and of the usual type.
export const provider: IContextProvider<MyMessage> = manager
export const usualProvider: IContextProvider = new ContextManager()
export class Kept<M extends ConversationMessage> {
  readonly #manager = new ContextManager<M>()
  add(message: NewMessage<M>): M {
    return this.#manager.addMessage(message)
  }
  restore(snapshot: ContextSnapshot<M>): void {
    this.#manager.importSnapshot(snapshot)
  }
}
export class Own<M extends ConversationMessage> implements IContextProvider<M> {
  declare getMessages: IContextProvider<M>['getMessages']
  declare getLatestMessage: IContextProvider<M>['getLatestMessage']
  declare setTeamTask: IContextProvider<M>['setTeamTask']
  declare getTeamTask: IContextProvider<M>['getTeamTask']
  declare getContextForAgent: IContextProvider<M>['getContextForAgent']
  declare assemblePrompt: IContextProvider<M>['assemblePrompt']
  declare clear: IContextProvider<M>['clear']
  declare exportSnapshot: IContextProvider<M>['exportSnapshot']
  declare importSnapshot: IContextProvider<M>['importSnapshot']
  addMessage(message: Omit<M, 'id'>): M {
    throw new Error(String(message))
  }
}

// Both forms of a speaker, also in one conversation and in one object.
export const speakers: MessageSpeaker[] = [
  { id: 'a' },
  { id: 'a', name: 'A', displayName: undefined, type: 'system' },
  { roleId: 'a' },
  { roleId: 'a', roleName: 'A', roleTitle: null, type: 'mine' },
  { id: 'a', roleId: 'a' },
]
// @ts-expect-error neither id nor roleId
export const nobody: MessageSpeaker = { name: 'A' }
for (const speaker of speakers) usual.addMessage({ speaker, content: '' })
export const anyId: string | null | undefined = usual.getLatestMessage()?.speaker.id
export type Either = ContextManager<
  Omit<MyMessage, 'speaker'> & { speaker: MyMessage['speaker'] | { id: string; name: string } }
>
// @ts-expect-error a message has a speaker
export type WithoutSpeaker = ContextManager<{ id: string; content: string }>

// Parts of a conversation, whole or after an id of the caller's type.
const laterPart: ContextSnapshot<MyMessage> = manager.exportSnapshot({ after: full.id })
isSame<typeof laterPart.after, Id | undefined>(true)
manager.importSnapshot(laterPart, { append: true })
manager.importSnapshot(JSON.parse('') as ContextSnapshotJson<MyMessage>, { append: undefined })
manager.importSnapshot({ ...laterPart, after: null, lastNumber: undefined }, null)
export const exported = [
  manager.exportSnapshot(),
  manager.exportSnapshot(null),
  manager.exportSnapshot({ after: null }),
]
// @ts-expect-error an id is a string
manager.exportSnapshot({ after: 1 })
// @ts-expect-error no such option
manager.importSnapshot(laterPart, { after: 'msg-1' })

// Several types of messages, distinguished by a field.
type Said = ConversationMessage & { kind: 'said'; volume: number }
type Ran = ConversationMessage & { kind: 'ran'; command: readonly string[] }
const several = new ContextManager<Said | Ran>()
several.addMessage({ kind: 'said', volume: 1, speaker: { id: 'a' }, content: '' })
several.addMessage({ kind: 'ran', command: ['ls'], speaker: { id: 'a' }, content: '' })
// @ts-expect-error what was said has a volume
several.addMessage({ kind: 'said', speaker: { id: 'a' }, content: '' })
const latest = several.getLatestMessage()
export const volume: number = latest?.kind === 'said' ? latest.volume : 0

// Changes are of the caller's type, too.
export const updated: MyMessage = manager.updateMessage(full.id, { content: '', mood: 'angry' })
export const removed: MyMessage = manager.removeMessage('msg-1')
manager.updateMessage('msg-1', { ...full, content: '' })
manager.updateMessage('msg-1', {})
// @ts-expect-error no mood of this caller's
manager.updateMessage('msg-1', { mood: 'sad' })
// @ts-expect-error an id does not change
manager.updateMessage('msg-1', { id: full.id })
several.updateMessage('msg-1', { kind: 'said', volume: 2 })
usual.updateMessage('msg-1', { content: '', routing: undefined })
export const strict = new ContextManager({ onMissingParent: 'throw' })
// @ts-expect-error neither 'latest' nor 'throw'
export const wrong = new ContextManager({ onMissingParent: 'error' })

// Snapshots, as they are and through JSON.
manager.importSnapshot(manager.exportSnapshot())
manager.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
const asJson = {
  speaker: draft.speaker,
  content: '',
  id: full.id,
  mood: 'calm',
  timestamp: '2026-02-26T00:00:00.000Z',
} satisfies ConversationMessageJson<MyMessage>
const snapshotJson: ContextSnapshotJson<MyMessage> = { messages: [asJson], teamTask: null, timestamp: 0, version: 1 }
manager.importSnapshot(snapshotJson)
manager.importSnapshot({
  ...snapshotJson,
  messages: [{ ...asJson, timestamp: 0 }, { ...asJson, timestamp: new Date() }, full] as const,
})
// @ts-expect-error no date can be a boolean
manager.importSnapshot({ ...snapshotJson, messages: [{ ...asJson, timestamp: true }] })
// @ts-expect-error the mood is missing
manager.importSnapshot({ ...snapshotJson, messages: [{ ...asJson, mood: undefined }] })
manager.importSnapshot({ ...snapshotJson, version: 2 })
// @ts-expect-error version 3 is not known
manager.importSnapshot({ ...snapshotJson, version: 3 })

interface Dated {
  at: Date
  optional?: Date
  none: Date | null
  maybe: Date | undefined
  list: Date[]
  pairs: readonly [Date, number]
  deep: { readonly when: Date; more?: { at: Date }[] | null }
  url: URL
  brand: Id
  unknown: unknown
  any: any
  method(): void
  [extra: `x-${string}`]: Date
}
isSame<
  JsonForm<Dated>,
  {
    at: string
    optional?: string
    none: string | null
    maybe: string | undefined
    list: string[]
    pairs: readonly [string, number]
    deep: { readonly when: string; more?: { at: string }[] | null }
    url: string
    brand: Id
    unknown: unknown
    any: any
    [extra: `x-${string}`]: string
  }
>(true)
interface Tree extends ConversationMessage {
  timestamp: Date
  children: Tree[]
}
declare const trees: ContextManager<Tree>
declare const treeJson: ConversationMessageJson<Tree>
export const nested: string | null | undefined = treeJson.children[0]?.children[0]?.timestamp
trees.importSnapshot({ messages: [treeJson], teamTask: '', timestamp: 0, version: 1 })

// Errors, narrowed by their code.
declare const error: unknown
if (isPromptmasonError(error)) {
  isSame<typeof error, PromptmasonError>(true)
  if (error.code === 'ERR_OUT_OF_RANGE') isSame<typeof error, OutOfRangeError>(true)
}
if (isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) {
  isSame<typeof error, BudgetExceededError>(true)
  Math.max(error.requiredBytes, error.maxBytes, error.sections.system ?? 0)
}
if (isPromptmasonError(error, 'ERR_INTERNAL')) isSame<typeof error, InternalError>(true)
declare const code: 'ERR_INVALID_ARG_TYPE' | 'ERR_INTERNAL'
if (isPromptmasonError(error, code)) isSame<typeof error, InvalidArgTypeError | InternalError>(true)
declare const maybeCode: PromptmasonErrorCode | undefined
if (isPromptmasonError(error, maybeCode)) isSame<typeof error, PromptmasonError>(true)
// @ts-expect-error no such code
isPromptmasonError(error, 'ERR_OTHER')
export const caught = (thrown: Error): number =>
  isPromptmasonError(thrown, 'ERR_BUDGET_EXCEEDED') ? thrown.requiredBytes : 0
