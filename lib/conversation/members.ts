/**
 * The members of a conversation.
 *
 * A membership begins with `addMember` or `openConversation` and ends with `removeMember`. A member added
 * later under the same name is a different one; a changed member stays the same.
 */
import { foldedName } from '../../binding.js'
import path = require('node:path')
import { spelling } from '../checks/spelling.js'
import { typeProblem } from '../checks/problems.js'
import type { AgentDefinition, CheckedMember, Definition, FunctionDefinition } from './member.js'

/** What stays the same across turns. */
export interface MemberState<Defined extends Definition = Definition> extends CheckedMember {
  name: string
  /** The first one of this process is 1. */
  membership: number
  definition: Defined
  /** Whether a turn is under way. */
  isBusy: boolean
  /** The instruction files, once they were read for its session. */
  instructions: string | undefined
}

/** A member who can be sent something. */
export type AskedMember = MemberState<AgentDefinition | FunctionDefinition>

const isAsked = (member: MemberState): member is AskedMember => member.definition.kind !== 'human'

/** Which session a member can resume: one of the same program in the same directory. */
export const sessionKey = (definition: Definition) => ({
  agent: definition.kind === 'agent' ? definition.agent : 'run',
  cwd: definition.kind === 'human' || definition.cwd === undefined ? '' : path.resolve(definition.cwd),
})

export class Members {
  #members: Map<string, MemberState> = new Map()
  /** The membership that began last. */
  latest = 0

  set(name: string, checked: CheckedMember) {
    const membership = this.#members.get(name)?.membership ?? (this.latest += 1)
    this.#members.set(name, { name, membership, ...checked, isBusy: false, instructions: undefined })
  }

  /** @param member A deleted member that has not left after all. */
  restore(member: MemberState) {
    this.#members.set(member.name, member)
  }

  has(name: string) {
    return this.#members.has(name)
  }

  delete(name: string) {
    this.#members.delete(name)
  }

  names() {
    return [...this.#members.keys()]
  }

  values() {
    return this.#members.values()
  }

  /**
   * A member by its name.
   * @param place What the caller calls it.
   */
  get(name: unknown, place: string) {
    const member = typeof name === 'string' ? this.#members.get(name) : undefined
    if (member !== undefined) return member
    if (typeof name !== 'string') throw typeProblem(`${place} must be the name of a member, got ${typeof name}`)
    const meant = this.meant(name)
    const hint = meant === undefined ? `members are ${this.names().join(', ')}` : `did you mean '${meant}'?`
    throw typeProblem(`${place} is '${name}', who is not a member: ${hint}`)
  }

  /** A member who can be sent something. */
  getAgent(name: unknown, place: string) {
    const member = this.get(name, place)
    if (isAsked(member)) return member
    throw typeProblem(`${place} is '${member.name}', a human: use say for what a human says`)
  }

  /** A member by a name that a model has written. */
  find(name: string) {
    return this.#members.get(name) ?? this.#folded(name)
  }

  /** The name that was probably meant. */
  meant(name: string) {
    return this.#folded(name)?.name ?? spelling(this.names())(name)[0]
  }

  #folded(name: string) {
    const folded = foldedName(name)
    for (const member of this.#members.values()) {
      if (foldedName(member.name) === folded) return member
    }
    return undefined
  }
}
