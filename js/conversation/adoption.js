'use strict'
/** `adopt`: makes a CLI's stored session part of a conversation. */
const { realpathSync } = require('node:fs')
const path = require('node:path')
const { typeProblem } = require('../checks/problems.js')
const { profileOf } = require('../delivery/profiles/index.js')
const { sessionKey } = require('./members.js')
const { maySee } = require('./turn.js')

/** @typedef {import('./members.js').Member} Member */
/** @typedef {InstanceType<typeof import('./state.js').ConversationState>} State */
/** @typedef {ReturnType<typeof import('../checks/handoff.js').transcript>} Transcript */

/**
 * The speaker of the user's messages.
 * @param {State} state
 * @param {Member} member
 * @param {string | undefined} given
 */
const userOf = ({ members }, member, given) => {
  const humans = [...members.values()].filter(({ kind }) => kind === 'human')
  if (given === undefined) {
    const [only] = humans
    if (only !== undefined && humans.length === 1) return only
    const problem =
      only === undefined ? 'no member is a human' : `several are: ${humans.map(({ name }) => name).join(', ')}`
    throw typeProblem(`options.user must name the member who said what the user said: ${problem}`)
  }
  const user = members.get(given, 'options.user')
  if (user.name === member.name) throw typeProblem(`options.user must not be '${given}', whose session it is`)
  return user
}

/** File data in a form that JSON can represent. @param {any} part */
const storedPart = (part) =>
  part.data instanceof Uint8Array ? { ...part, data: Buffer.from(part.data).toString('base64') } : part

/**
 * The messages of a transcript as those of a conversation.
 * @param {Transcript} transcript
 * @param {Member} member
 * @param {Member} user
 * @param {boolean} isPrivate
 */
const messagesOf = ({ messages }, member, user, isPrivate) =>
  messages.map(({ isHuman, time, parts }) => {
    const [speaker, addressee] = isHuman ? [user, member] : [member, user]
    return {
      timestamp: Number.isNaN(time) ? new Date() : new Date(time),
      speaker: { id: speaker.name, type: speaker.kind === 'human' ? 'human' : 'ai' },
      content: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n'),
      parts: parts.map(storedPart),
      routing: { addressees: [addressee.name] },
      ...(isPrivate && { private: true }),
    }
  })

/** @param {string} directory */
const realPath = (directory) => {
  try {
    return realpathSync(directory)
  } catch {
    return path.resolve(directory)
  }
}

/**
 * The session, if the member can continue it: it is the same CLI, it runs in a directory from which it
 * finds the session, and the session has seen everything in the conversation.
 * @param {State} state
 * @param {Member} member
 * @param {Transcript} transcript
 */
const sessionOf = (state, member, { agent, session, cwd }) => {
  const { kind, definition, name } = member
  const profile = kind === 'agent' && definition.profile === undefined ? profileOf(definition.agent) : undefined
  if (session === undefined || session === '' || definition.session === 'none') return undefined
  if (profile === undefined || profile.agentType !== profileOf(agent)?.agentType) return undefined
  const isThere = cwd !== undefined && realPath(cwd) === realPath(definition.cwd ?? process.cwd())
  if (profile.resume?.directory !== 'any' && !isThere) return undefined
  if (state.manager.getMessages().some((message) => maySee(state, message, name))) return undefined
  return { id: session, ...sessionKey(member) }
}

/**
 * Names a session, so that its messages are not added twice; undefined if the transcript does not name it.
 * @param {State} state
 * @param {Member} member
 * @param {Transcript} transcript
 */
const sourceOf = ({ adopted }, { name }, { agent, session }) => {
  if (session === undefined || session === '') return undefined
  const source = JSON.stringify([name, agent, session])
  if (!adopted.has(source)) return source
  throw typeProblem(
    `transcript.session must not be '${session}': '${name}' has adopted this session before. Add newer messages with say`,
  )
}

/**
 * @param {State} state
 * @param {Member} member
 * @param {Transcript} transcript
 * @param {{ user?: string, private: boolean }} options
 */
const adopt = async (state, member, transcript, options) => {
  const user = userOf(state, member, options.user)
  const messages = messagesOf(transcript, member, user, options.private)
  if (messages.length === 0) return []
  return state.adopt(member.name, messages, () => ({
    source: sourceOf(state, member, transcript),
    session: sessionOf(state, member, transcript),
  }))
}

module.exports = { adopt }
