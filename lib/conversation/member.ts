/** The members of a conversation, as callers pass them. */
import { foldedName } from '../../binding.js'
import { fields } from '../checks/fields.js'
import {
  arrayOf,
  boolean,
  entriesOf,
  func,
  integer,
  isMissing,
  type Kind,
  object,
  oneOf,
  optional,
  refined,
  string,
} from '../checks/kinds.js'
import { type Name, pathOf, typeProblem, unknownValue, wrongType } from '../checks/problems.js'
import { environment } from '../delivery/kinds.js'
import { customProfile, type DeliveryProfile } from '../delivery/profiles/custom.js'
import { fileHooks, type FileHooks } from '../delivery/write.js'
import { instruction } from '../prompts/materials.js'
import { APIS, caching, type RequestForm } from '../prompts/form.js'
import { type TokenEstimate, tokenizer } from '../tokens/tokenizer.js'
import type { InstructionOptions } from '../instructions/options.js'
import type { SpawnHook } from '../delivery/run-elsewhere.js'
import type { AgentType } from '../prompts/agents.js'
import type { ModelApi } from '../prompts/model-requests.js'
import type { ConversationOptions } from './options.js'
import type { RequestRunInput, RunAnswer, RunInput } from './ask-function.js'

const { hasOwn, keys } = Object

/** Means everybody, so no member can have this name. */
export const ALL = 'all'

/** The name of a member stands in prompts, and models write it in answers. */
export const memberName = refined(string, (name, parent, field) => {
  if (name === '' || name.trim() !== name || /[\r\n,，、[\]]/.test(name) || foldedName(name) === ALL) {
    unknownValue(`a name without commas, brackets and line breaks that is not '${ALL}'`, name, parent, field)
  }
  return name
})

/** Somebody who speaks through `say`. */
export interface HumanMember {
  human: true
  /** Only in `RequestMember`. */
  as?: null | undefined
}

const isHuman: Kind<true> = (value, parent, name) =>
  // `false` counts as not given.
  boolean(value, parent, name) as true

interface TurnMember {
  /** The member's instructions. @default undefined */
  system?: string | readonly string[] | null | undefined
  /**
   * Whether to add the project's instruction files (`AGENTS.md`, …) to the instructions, except those
   * that the CLI reads itself; or options for finding them. They are read when a session begins.
   * @default false
   */
  instructions?: boolean | InstructionOptions | null | undefined
  /** The working directory. @default that of this process */
  cwd?: string | null | undefined
  /**
   * `'resume'`: the member's session continues, and gets only what is new. `'none'`: each turn starts a
   * new session with the whole prompt.
   * @default 'resume'
   */
  session?: 'resume' | 'none' | null | undefined
  /** The maximum tokens of a prompt. @default undefined (no limit) */
  maxTokens?: number | null | undefined
  /**
   * What counts tokens. An estimate learns from reported usage.
   * @default with `maxTokens`, that of the layout, or an estimate
   */
  tokenizer?: 'o200k' | 'cl100k' | TokenEstimate | null | undefined
  /** The timeout of a turn, in milliseconds. @default undefined (none) */
  timeoutMs?: number | null | undefined
  /**
   * The layout of the member's prompts: a known agent type, or one of `layouts`.
   * @default that of the agent; Codex's for functions, for agents without one, and if a `profile` has no
   *   option for the system text that the agent's layout keeps out of the prompt
   */
  layout?: AgentType | null | undefined
}

const instructions: Kind<boolean | InstructionOptions> = (value, parent, name) =>
  typeof value === 'boolean' ? value : object(value, parent, name)

/** What counts tokens for a member. */
export type MemberTokenizer = NonNullable<TurnMember['tokenizer']>

const ownTokenizer: Kind<MemberTokenizer> = (value, parent, name) =>
  typeof tokenizer(value, parent, name) === 'function'
    ? wrongType("'o200k', 'cl100k' or { bytesPerToken }", value, parent, name)
    : (value as MemberTokenizer)

/** Options of the whole conversation, which would have no effect on a member. */
export const OF_CONVERSATION: readonly (keyof ConversationOptions)[] = [
  'task',
  'briefing',
  'visibility',
  'contextWindowSize',
  'maxBytes',
  'markers',
  'summarise',
  'parseReply',
]

/** The fields of every member except a human. */
const turnFields = {
  system: optional(instruction),
  instructions: optional(instructions),
  cwd: optional(string),
  session: optional(oneOf(['resume', 'none']), 'resume' as const),
  maxTokens: optional(integer(1)),
  tokenizer: optional(ownTokenizer),
  timeoutMs: optional(integer(1)),
  layout: optional(string),
}

/** An agent CLI. */
export interface AgentMember extends TurnMember {
  /** The agent type: see `DeliveryOptions.agentType`. */
  agent: AgentType
  /** The model, as the CLI names it. @default undefined (the model that the CLI is configured for) */
  model?: string | null | undefined
  /** Additional arguments for the CLI. @default [] */
  args?: readonly string[] | null | undefined
  /** Environment variables for the CLI; `undefined` or null removes one. @default {} */
  env?: { readonly [name: string]: string | null | undefined } | null | undefined
  /**
   * What the agent may do without asking, set with the CLI's own options.
   * @default undefined (as the CLI is configured)
   */
  permissions?: 'default' | 'read-only' | 'edit' | 'all' | null | undefined
  /** How long the CLI may be silent, in milliseconds. @default that of `deliver` */
  idleTimeoutMs?: number | null | undefined
  /** The profile of a custom CLI. @default undefined */
  profile?: DeliveryProfile | null | undefined
  /**
   * Starts the CLI elsewhere: see `DeliverOptions.spawn`. Its version is not looked up.
   * @default undefined (on this machine)
   */
  spawn?: SpawnHook | null | undefined
  /**
   * Writes and removes the files of a delivery there: see `DeliverOptions.files`.
   * @default undefined (in a private temporary directory)
   */
  files?: FileHooks | null | undefined
  /** Only in `RequestMember`. */
  as?: null | undefined
}

/** It is passed on to `planDelivery` as it was given. */
const ownProfile: Kind<DeliveryProfile> = (value, parent, name) => {
  customProfile(value, parent, name)
  return value as DeliveryProfile
}

/** The fields of CLIs alone. */
const cliFields = {
  args: optional(arrayOf(string), []),
  env: optional(environment, {}),
  permissions: optional(oneOf(['default', 'read-only', 'edit', 'all'])),
  idleTimeoutMs: optional(integer(1)),
  profile: optional(ownProfile),
  spawn: optional(func<SpawnHook>()),
  files: optional(fileHooks),
}

const agentFields = fields<Omit<AgentMember, 'as'>>()(
  { agent: string, ...turnFields, model: optional(string), ...cliFields },
  { required: true, elsewhere: { 'a member with run': ['as', 'cache'], openConversation: OF_CONVERSATION } },
)

/**
 * A function that calls an API, a container, another machine or a test. Errors it throws may have a `code` of
 * `CliError`, such as `'session-not-found'`, `'too-long'` or `'rate-limit'`, with `retryAfterMs`.
 */
export interface FunctionMember extends TurnMember {
  run: (input: RunInput) => string | RunAnswer | Promise<string | RunAnswer>
  /** Only in `RequestMember`. */
  as?: null | undefined
}

/** A function that gets requests to a model's API instead of prompts. */
export interface RequestMember<Api extends ModelApi = ModelApi>
  extends TurnMember,
    Pick<RequestForm<Api>, 'as' | 'cache' | 'model'> {
  run: (input: RequestRunInput<Api>) => string | RunAnswer | Promise<string | RunAnswer>
}

/** What a function member can be, of either form. */
interface CalledMember extends TurnMember {
  run: (input: RunInput | RequestRunInput) => string | RunAnswer | Promise<string | RunAnswer>
  as?: ModelApi | null | undefined
  cache?: RequestForm['cache']
  model?: string | null | undefined
}

const cache: Kind<NonNullable<RequestForm['cache']>> = (value, parent, name) => {
  const checked = caching(value, parent, name)
  return checked === 'auto' || checked === 'none' ? checked : { ttl: checked }
}

const functionFields = refined(
  fields<CalledMember>()(
    {
      run: func<CalledMember['run']>(),
      ...turnFields,
      as: optional(oneOf(APIS)),
      cache: optional(cache),
      model: optional(string),
    },
    { required: true, elsewhere: { 'a member with agent': keys(cliFields), openConversation: OF_CONVERSATION } },
  ),
  (checked, parent, name) => {
    const { as, cache: given, model } = checked
    for (const [field, value] of Object.entries({ cache: given, model })) {
      if (as === undefined && value !== undefined) {
        throw typeProblem(`${pathOf(pathOf(parent, name), field)} must be given together with an API in as`)
      }
    }
    return checked
  },
)

/** The fields of all members. */
export const MEMBER_FIELDS = [...agentFields.names, 'run', 'as', 'cache', 'human']

const humanFields = fields<Omit<HumanMember, 'as'>>()(
  { human: isHuman },
  {
    required: true,
    elsewhere: { 'a member with agent or run': MEMBER_FIELDS, openConversation: OF_CONVERSATION },
  },
)

/** One type for each API, so that `as` determines the argument of `run`. */
type RequestMembers = { [Api in ModelApi]: RequestMember<Api> }[ModelApi]

/** A member of a conversation. */
export type Member = HumanMember | AgentMember | FunctionMember | RequestMembers

/**
 * The fields of a member that `change` replaces. A different `agent` or `run` replaces the program: the
 * new one keeps the other settings. If it cannot have one of them, or if `model`, `args` or `profile` were
 * set, `changes` must have another value or null for it.
 */
export type MemberChanges =
  | Partial<AgentMember>
  | Partial<FunctionMember>
  | { [Api in ModelApi]: Partial<RequestMember<Api>> }[ModelApi]
  | HumanMember

export type AgentDefinition = { kind: 'agent' } & ReturnType<typeof agentFields>
export type FunctionDefinition = { kind: 'run' } & ReturnType<typeof functionFields>
/** A member as it was checked. */
export type Definition = AgentDefinition | FunctionDefinition | { kind: 'human' }

/** A member as it was checked, and as the caller gave it. */
export interface CheckedMember {
  definition: Definition
  given: Member
}

const KINDS = ['agent', 'run', 'human'] as const

const definitionOf = (kind: (typeof KINDS)[number], value: unknown, parent: string, name: Name): Definition => {
  if (kind === 'agent') return { kind, ...agentFields(value, parent, name) }
  if (kind === 'run') return { kind, ...functionFields(value, parent, name) }
  humanFields(value, parent, name)
  return { kind }
}

export const member: Kind<CheckedMember, Member> = (value, parent, name) => {
  const fieldsOf = object(value, parent, name)
  const given = KINDS.filter((kind) => !isMissing(fieldsOf[kind]) && fieldsOf[kind] !== false)
  const [kind] = given
  if (kind === undefined || given.length > 1) {
    const got = kind === undefined ? 'and has none' : `got ${given.join(' and ')}`
    throw typeProblem(`${pathOf(parent, name)} must have one of agent, run and human, ${got}`)
  }
  return { definition: definitionOf(kind, value, parent, name), given: value as Member }
}

/** Members by name. Names must differ in more than letter case. */
export const members = refined(entriesOf(member), (entries, parent, name) => {
  const known = new Map<string, string>()
  for (const [id] of entries) {
    memberName(id, pathOf(parent, name), id)
    const folded = foldedName(id)
    const same = known.get(folded)
    if (same !== undefined) {
      throw typeProblem(`members.${id} and members.${same} must differ in more than letter case`)
    }
    known.set(folded, id)
  }
  return entries
})

/** Settings that mean something else to another program. */
const OF_A_PROGRAM = ['model', 'args', 'profile'] as const

/**
 * A member with changes. If the agent or function is another one, it keeps all settings that it can have.
 * Those that it cannot have must be replaced or removed, so that none is lost without a word.
 */
export const withChanges = (given: Member, changes: MemberChanges) => {
  const before: Readonly<Record<string, unknown>> = { ...given }
  const after: Readonly<Record<string, unknown>> = { ...changes }
  const isOther = KINDS.some((kind) => !isMissing(after[kind]) && after[kind] !== before[kind])
  if (!isOther) return { changed: member({ ...before, ...after }, '', 'member'), isOther }
  // Nobody runs a human.
  if (!isMissing(after['human'])) return { changed: member(after, '', 'member'), isOther }
  const isSet = (value: unknown) => !isMissing(value) && !(Array.isArray(value) && value.length === 0)
  const lost = OF_A_PROGRAM.find((field) => isSet(before[field]) && !hasOwn(after, field))
  if (lost !== undefined) {
    throw typeProblem(`changes.${lost} must be given, or null: the present one may mean nothing to another program`)
  }
  const gone = Object.fromEntries([...KINDS, ...OF_A_PROGRAM].map((field) => [field, undefined]))
  return { changed: member({ ...before, ...gone, ...after }, '', 'member'), isOther }
}
