'use strict'
/** Every CLI that is known. A new one is a file in this folder and a line here. */
const acp = require('./acp.js')
const { ACP_OUTPUT, NOTHING_KNOWN, TEXT_OUTPUT } = require('./profile.js')

const FACTS = [
  require('./claude.js'),
  require('./codex.js'),
  require('./gemini.js'),
  require('./opencode.js'),
  require('./qwen.js'),
  require('./copilot.js'),
  require('./pi.js'),
  require('./grok.js'),
  require('./kimi.js'),
  require('./kilo.js'),
]

/** @param {import('./profile.js').Facts} facts */
const completed = (facts) => ({ ...NOTHING_KNOWN, ...facts, isKnown: true, output: facts.agentType })

const PROFILES = FACTS.map(completed)

/** An agent that speaks the Agent Client Protocol, and about which nothing else is known. */
const ACP = { ...NOTHING_KNOWN, ...acp, output: ACP_OUTPUT }

/** In any case of ASCII letters, and without white space around it. @param {string} name */
const normalized = (name) => name.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const BY_NAME = new Map(
  PROFILES.flatMap((profile) => [profile.agentType, ...(profile.aliases ?? [])].map((name) => [name, profile])),
)

/**
 * What is known of an agent's CLI, by the agent's type or an alias.
 * @param {string} agentType
 */
const profileOf = (agentType) => BY_NAME.get(normalized(agentType))

/**
 * The name of an output format: `text`, `acp`, or the type of a known agent. Undefined for any other name.
 * @param {string} name
 */
const outputNamed = (name) =>
  [TEXT_OUTPUT, ACP_OUTPUT].find((each) => each === normalized(name)) ?? profileOf(name)?.output

/**
 * Makes readers of what an agent's CLI writes. Undefined where stdout is the answer, as for unknown
 * agents.
 * @param {string} agentType
 */
const formatOf = (agentType) => (normalized(agentType) === ACP_OUTPUT ? ACP.format : profileOf(agentType)?.format)

module.exports = { ACP, PROFILES, formatOf, outputNamed, profileOf }
