'use strict'
/**
 * The members of a conversation.
 *
 * A membership begins with `addMember` or `openConversation` and ends with `removeMember`. A member added
 * later under the same name is a different one; a changed member stays the same.
 */
const { foldedName } = require('../../binding.js')
const path = require('node:path')
const { spelling } = require('../checks/spelling.js')
const { typeProblem } = require('../checks/problems.js')

/**
 * @typedef {object} Member What stays the same across turns. `js/checks/conversation.js` has the fields.
 * @property {string} name
 * @property {number} membership The first one of this process is 1.
 * @property {'agent' | 'run' | 'human'} kind
 * @property {any} definition As it was checked.
 * @property {any} given As the caller gave it, for `change`.
 * @property {boolean} isBusy Whether a turn is under way.
 * @property {string | undefined} instructions The instruction files, once they were read for its session.
 */

/**
 * Which session a member can resume: one of the same program in the same directory.
 * @param {Pick<Member, 'kind' | 'definition'>} member
 */
const sessionKey = ({ kind, definition }) => ({
  agent: kind === 'agent' ? String(definition.agent) : 'run',
  cwd: definition.cwd === undefined ? '' : path.resolve(definition.cwd),
})

class Members {
  /** @type {Map<string, Member>} */
  #members = new Map()
  /** The membership that began last. */
  latest = 0

  /** @param {string} name @param {any} checked */
  set(name, { given, ...definition }) {
    const { kind } = definition
    const membership = this.#members.get(name)?.membership ?? (this.latest += 1)
    const member = { name, membership, kind, definition, given, isBusy: false, instructions: undefined }
    this.#members.set(name, member)
    return member
  }

  /** @param {Member} member A deleted member that has not left after all. */
  restore(member) {
    this.#members.set(member.name, member)
  }

  /** @param {string} name */
  has(name) {
    return this.#members.has(name)
  }

  /** @param {string} name */
  delete(name) {
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
   * @param {unknown} name
   * @param {string} place What the caller calls it.
   */
  get(name, place) {
    const member = typeof name === 'string' ? this.#members.get(name) : undefined
    if (member !== undefined) return member
    if (typeof name !== 'string') throw typeProblem(`${place} must be the name of a member, got ${typeof name}`)
    const meant = this.meant(name)
    const hint = meant === undefined ? `members are ${this.names().join(', ')}` : `did you mean '${meant}'?`
    throw typeProblem(`${place} is '${name}', who is not a member: ${hint}`)
  }

  /** A member who can be sent something. @param {unknown} name @param {string} place */
  getAgent(name, place) {
    const member = this.get(name, place)
    if (member.kind !== 'human') return member
    throw typeProblem(`${place} is '${member.name}', a human: use say for what a human says`)
  }

  /** A member by a name that a model has written. @param {string} name */
  find(name) {
    return this.#members.get(name) ?? this.#folded(name)
  }

  /** The name that was probably meant. @param {string} name */
  meant(name) {
    return this.#folded(name)?.name ?? spelling(this.names())(name)[0]
  }

  /** @param {string} name */
  #folded(name) {
    const folded = foldedName(name)
    for (const member of this.#members.values()) {
      if (foldedName(member.name) === folded) return member
    }
    return undefined
  }
}

module.exports = { Members, sessionKey }
