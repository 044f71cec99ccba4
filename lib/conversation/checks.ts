/** What `openConversation` and the methods of a conversation take. */
import { foldedName } from '../../binding.js'
import { conversationId } from './stores/contract.js'
import { environment, signal } from '../delivery/kinds.js'
import { customProfile } from '../delivery/profiles/custom.js'
import { instruction } from '../prompts/materials.js'
import { recordOf } from '../checks/fields.js'
import { APIS, caching } from '../prompts/form.js'
import {
  array,
  arrayOf,
  boolean,
  entriesOf,
  func,
  integer,
  isMissing,
  object,
  oneOf,
  optional,
  refined,
  string,
} from '../checks/kinds.js'
import { logger } from '../manager/logger.js'
import { pathOf, typeProblem, unknownValue, wrongType } from '../checks/problems.js'
import { tokenizer } from '../tokens/tokenizer.js'
import type { Kind } from '../checks/kinds.js'

/** Means everybody, so no member can have this name. */
export const ALL = 'all'

/** The name of a member stands in prompts, and models write it in answers. */
export const memberName: Kind<string> = refined(string, (name, parent, field) => {
  if (name === '' || name.trim() !== name || /[\r\n,，、[\]]/.test(name) || foldedName(name) === ALL) {
    unknownValue(`a name without commas, brackets and line breaks that is not '${ALL}'`, name, parent, field)
  }
  return name
})

/** The fields of every member except a human. */
const common = {
  system: optional((value: any, parent: string, name: any) => {
    instruction(value, parent, name)
    return typeof value === 'string' ? value : Array.from(value)
  }),
  instructions: optional((value: any, parent: string, name: any) =>
    typeof value === 'boolean' ? value : object(value, parent, name),
  ),
  cwd: optional(string),
  session: optional(oneOf(['resume', 'none']), 'resume'),
  maxTokens: optional(integer(1)),
  tokenizer: optional((value: any, parent: string, name: any) => {
    const checked = tokenizer(value, parent, name)
    return typeof checked === 'function'
      ? wrongType("'o200k', 'cl100k' or { bytesPerToken }", value, parent, name)
      : value
  }),
  timeoutMs: optional(integer(1)),
  layout: optional(string),
}

const agentMember = recordOf(
  {
    agent: string,
    ...common,
    model: optional(string),
    args: optional(arrayOf(string), []),
    env: optional(environment, {}),
    permissions: optional(oneOf(['default', 'read-only', 'edit', 'all'])),
    idleTimeoutMs: optional(integer(1)),
    profile: optional((value: any, parent: string, name: any) => {
      customProfile(value, parent, name)
      return value
    }),
  },
  { required: true },
)
const functionMember = refined(
  recordOf(
    {
      run: func(),
      ...common,
      as: optional(oneOf(APIS)),
      cache: optional((value: any, parent: string, name: any) => {
        const checked = caching(value, parent, name)
        return typeof value === 'object' ? { ttl: checked } : checked
      }),
      model: optional(string),
    },
    { required: true },
  ),
  (checked, parent, name) => {
    const { as, cache, model } = checked
    for (const [field, value] of Object.entries({ cache, model })) {
      if (as === undefined && value !== undefined) {
        throw typeProblem(`${pathOf(pathOf(parent, name), field)} must be given together with an API in as`)
      }
    }
    return checked
  },
)
const humanMember = recordOf({ human: boolean }, { required: true })

const KINDS = ['agent', 'run', 'human'] as const

/** A member (an agent CLI, a function or a human), together with the original value. */
export const member: Kind = (value, parent, name) => {
  object(value, parent, name)
  const given = KINDS.filter((kind) => !isMissing(value[kind]) && value[kind] !== false)
  const path = pathOf(parent, name)
  if (given.length !== 1) {
    throw typeProblem(
      `${path} must have one of agent, run and human, ${given.length === 0 ? 'and has none' : `got ${given.join(' and ')}`}`,
    )
  }
  if (given[0] === 'human') return { kind: 'human', ...humanMember(value, parent, name), given: value }
  const table = given[0] === 'agent' ? agentMember : functionMember
  return { kind: given[0], ...table(value, parent, name), given: value }
}

const members: Kind<[string, any][]> = refined(entriesOf(member), (entries, parent, name) => {
  const known = new Map()
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

/** A store. Its functions are called as methods, with the store as `this`. */
const store: Kind = (value, parent, name) => {
  object(value, parent, name)
  const path = pathOf(parent, name)
  for (const method of ['load', 'acquire', 'append', 'release']) func()((value as any)[method], path, method)
  return value
}

export const options = recordOf(
  {
    id: optional(conversationId),
    store: optional(store),
    task: optional(string),
    members,
    visibility: optional(oneOf(['team', 'addressed']), 'team'),
    contextWindowSize: optional(integer(0), 50),
    maxBytes: optional(integer(1)),
    evictionStep: optional(integer(0), 16),
    markers: optional(oneOf(['verbatim', 'escape', 'fence']), 'fence'),
    layouts: optional(array),
    leaseMs: optional(integer(1), 30_000),
    summarise: optional(func()),
    parseReply: optional(func()),
    onEvent: optional(func()),
    logger: optional(logger),
  },
  { required: true },
)

/** Addressees as they are given; undefined for everybody. */
export const addressees: Kind<string[] | undefined> = (value, parent, name) => {
  const list =
    typeof value === 'string' ? [value] : arrayOf(string, 'a string or an array of strings')(value, parent, name)
  return list.length === 0 || list.some((one) => one === ALL) ? undefined : list
}

export const sayOptions = recordOf({
  to: optional(addressees),
  private: optional(boolean, false),
  replyTo: optional(string),
  pinned: optional(boolean, false),
})

export const adoptOptions = recordOf({ user: optional(string), private: optional(boolean, false) })

export const sendOptions = recordOf({
  signal: optional(signal),
  timeoutMs: optional(integer(1)),
  onText: optional(func()),
  onEvent: optional(func()),
})

export const changes = recordOf({
  text: optional(string),
  to: optional(addressees),
  private: optional(boolean),
})

/** What `parseReply` returns. */
export const reply = recordOf(
  { text: string, to: optional(addressees), private: optional(boolean) },
  { required: true, anyKeys: true },
)

const usage = recordOf(
  {
    inputTokens: optional(integer(0)),
    cachedInputTokens: optional(integer(0)),
    cacheWriteTokens: optional(integer(0)),
    outputTokens: optional(integer(0)),
    reasoningTokens: optional(integer(0)),
  },
  { anyKeys: true },
)

/** What `run` can return instead of a string. */
export const answer = recordOf(
  { text: string, session: optional(string), usage: optional(usage), model: optional(string) },
  { required: true, anyKeys: true },
)
