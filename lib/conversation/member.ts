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
import { instruction } from '../prompts/materials.js'
import { APIS, caching, type RequestForm } from '../prompts/form.js'
import { type TokenEstimate, tokenizer } from '../tokens/tokenizer.js'
import type { InstructionOptions } from '../instructions/options.js'
import type { AgentType } from '../prompts/agents.js'
import type { ModelApi } from '../prompts/model-requests.js'
import type { RequestRunInput, RunAnswer, RunInput } from './ask-function.js'

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

const humanFields = fields<Omit<HumanMember, 'as'>>()({ human: isHuman }, { required: true })

interface TurnMember {
  /**
   * The member's instructions.
   * @default undefined
   */
  system?: string | readonly string[] | null | undefined
  /**
   * Whether to add the project's instruction files (`AGENTS.md`, …) to the instructions, except those
   * that the CLI reads itself; or options for finding them. They are read when a session begins.
   * @default false
   */
  instructions?: boolean | InstructionOptions | null | undefined
  /**
   * The working directory.
   * @default that of this process
   */
  cwd?: string | null | undefined
  /**
   * `'resume'`: the member's session continues, and gets only what is new. `'none'`: each turn starts a
   * new session with the whole prompt.
   * @default 'resume'
   */
  session?: 'resume' | 'none' | null | undefined
  /**
   * The maximum tokens of a prompt.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /**
   * What counts tokens. An estimate learns from reported usage.
   * @default with `maxTokens`, that of the layout, or an estimate
   */
  tokenizer?: 'o200k' | 'cl100k' | TokenEstimate | null | undefined
  /**
   * The timeout of a turn, in milliseconds.
   * @default undefined (none)
   */
  timeoutMs?: number | null | undefined
  /**
   * The layout of the member's prompts: a known agent type, or one of `layouts`.
   * @default that of the agent, or Codex's
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
  /**
   * The model, as the CLI names it.
   * @default undefined (the model that the CLI is configured for)
   */
  model?: string | null | undefined
  /**
   * Additional arguments for the CLI.
   * @default []
   */
  args?: readonly string[] | null | undefined
  /**
   * Environment variables for the CLI; `undefined` or null removes one.
   * @default {}
   */
  env?: { readonly [name: string]: string | null | undefined } | null | undefined
  /**
   * What the agent may do without asking, set with the CLI's own options.
   * @default undefined (as the CLI is configured)
   */
  permissions?: 'default' | 'read-only' | 'edit' | 'all' | null | undefined
  /**
   * How long the CLI may be silent, in milliseconds.
   * @default that of `deliver`
   */
  idleTimeoutMs?: number | null | undefined
  /**
   * The profile of a custom CLI.
   * @default undefined
   */
  profile?: DeliveryProfile | null | undefined
  /** Only in `RequestMember`. */
  as?: null | undefined
}

/** It is passed on to `planDelivery` as it was given. */
const ownProfile: Kind<DeliveryProfile> = (value, parent, name) => {
  customProfile(value, parent, name)
  return value as DeliveryProfile
}

const agentFields = fields<Omit<AgentMember, 'as'>>()(
  {
    agent: string,
    ...turnFields,
    model: optional(string),
    args: optional(arrayOf(string), []),
    env: optional(environment, {}),
    permissions: optional(oneOf(['default', 'read-only', 'edit', 'all'])),
    idleTimeoutMs: optional(integer(1)),
    profile: optional(ownProfile),
  },
  { required: true },
)

/**
 * A function that calls an API, a container, another machine or a test. Errors it throws may have a
 * `code` of `CliError`, such as `'session-not-found'`, `'too-long'` or `'rate-limit'`, with
 * `retryAfterMs`.
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
    { required: true },
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

/** One type for each API, so that `as` determines the argument of `run`. */
type RequestMembers = { [Api in ModelApi]: RequestMember<Api> }[ModelApi]

/** A member of a conversation. */
export type Member = HumanMember | AgentMember | FunctionMember | RequestMembers

/** The fields of a member that `change` replaces. A different `agent` or `run` replaces the agent itself. */
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

/** Settings of one program that do not carry over to its replacement. */
const OF_A_PROGRAM = new Set<string>([
  ...KINDS,
  'model',
  'args',
  'env',
  'profile',
  'permissions',
  'tokenizer',
  'layout',
])

/**
 * A member with changes. A change of the agent or the function replaces the member's program.
 */
export const withChanges = (given: Member, changes: MemberChanges) => {
  const [before, after]: { readonly [Field in (typeof KINDS)[number]]?: unknown }[] = [given, changes]
  const isOther = KINDS.some((kind) => !isMissing(after?.[kind]) && after?.[kind] !== before?.[kind])
  const kept = Object.entries(given).filter(([name]) => !isOther || !OF_A_PROGRAM.has(name))
  return { changed: member({ ...Object.fromEntries(kept), ...changes }, '', 'member'), isOther }
}
