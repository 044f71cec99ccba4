/** Every CLI that is known. A new one is a file in this folder and a line here. */
import { acp, ACP_OUTPUT, type Facts, NOTHING_KNOWN, type Profile, TEXT_OUTPUT } from './profile.js'
import { claude } from './claude.js'
import { codex } from './codex.js'
import { copilot } from './copilot.js'
import { gemini } from './gemini.js'
import { grok } from './grok.js'
import { kilo } from './kilo.js'
import { kimi } from './kimi.js'
import { opencode } from './opencode.js'
import { pi } from './pi.js'
import { qwen } from './qwen.js'

const FACTS: readonly Facts[] = [claude, codex, gemini, opencode, qwen, copilot, pi, grok, kimi, kilo]

const completed = (facts: Facts): Profile & Facts => ({
  ...NOTHING_KNOWN,
  ...facts,
  isKnown: true,
  output: facts.agentType,
})

export const PROFILES = FACTS.map(completed)

/** An agent that speaks the Agent Client Protocol, and about which nothing else is known. */
export const ACP: Omit<Profile, 'command'> = { ...NOTHING_KNOWN, ...acp, output: ACP_OUTPUT }

/** In any case of ASCII letters, and without white space around it. */
const normalized = (name: string) => name.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const BY_NAME = new Map(
  PROFILES.flatMap((profile) => [profile.agentType, ...(profile.aliases ?? [])].map((name) => [name, profile])),
)

/** What is known of an agent's CLI, by the agent's type or an alias. */
export const profileOf = (agentType: string) => BY_NAME.get(normalized(agentType))

/** The name of an output format: `text`, `acp`, or the type of a known agent. Undefined for any other name. */
export const outputNamed = (name: string) =>
  [TEXT_OUTPUT, ACP_OUTPUT].find((each) => each === normalized(name)) ?? profileOf(name)?.output

/** The format of what an agent's CLI writes. Undefined where stdout is the answer, as for unknown agents. */
export const formatOf = (agentType: string) =>
  normalized(agentType) === ACP_OUTPUT ? ACP.format : profileOf(agentType)?.format
