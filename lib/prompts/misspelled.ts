/**
 * Finds agent types that look misspelled. Any name is allowed, so this must not suspect names that
 * somebody may have chosen, such as `coder`, `kiro` or `claude-2`:
 *
 * 1. Separators do not matter: `claudecode` and `open-code` are misspelled.
 * 2. Only one word may differ, by a single typo.
 * 3. In a four-letter word, only two swapped letters count as a typo; in a shorter word, nothing does.
 * 4. In a longer word, so does one missing, extra or wrong letter, except at either end, where it makes
 *    another word (`coder`, `opencodex`). In a word of six or more letters, any letter may be missing.
 */
import { distance } from '../checks/spelling.js'

/** Longer names are not compared. */
const MAX_LENGTH = 40

/** The names of known agents, easiest to type first. */
const knownNames = () => {
  // Loaded on demand: most callers never use an unknown agent.
  const { PROFILES } = require('../delivery/profiles/index.js') as typeof import('../delivery/profiles/index.js')
  return PROFILES.flatMap(({ agentType, aliases = [] }) => aliases.concat(agentType))
}

const wordsOf = (name: string) => name.split(/[\s_.-]+/)

const lettersOf = (word: string) => [...word].toSorted().join('')

const isSlip = (given: string, known: string) => {
  if (known.length < 4 || distance(given, known, 1) !== 1) return false
  if (lettersOf(given) === lettersOf(known)) return true
  if (known.length < 5 || !/^[a-z]+$/.test(given)) return false
  if (known.length > 5 && given.length < known.length) return true
  return given[0] === known[0] && given.at(-1) === known.at(-1)
}

const isMisspelled = (given: string, known: string) => {
  const [givenWords, knownWords] = [wordsOf(given), wordsOf(known)]
  if (givenWords.join('') === knownWords.join('')) return true
  if (givenWords.length !== knownWords.length) return false
  const differing = knownWords.flatMap((word, index) => (word === givenWords[index] ? [] : [index]))
  const [only = -1] = differing
  return differing.length === 1 && isSlip(givenWords[only] ?? '', knownWords[only] ?? '')
}

/** The agent type that was probably meant, if this one is not known and looks misspelled. */
export const misspelled = (agentType: string): string | undefined => {
  const name = agentType.trim().toLowerCase()
  if (name.length > MAX_LENGTH) return undefined
  const names = knownNames()
  return names.includes(name) ? undefined : names.find((known) => isMisspelled(name, known))
}

/** The name as quoted in a sentence. */
export const quoted = (agentType: string) => `'${agentType.trim().replaceAll(/\s/g, ' ')}'`

/** The warning about an agent type that looks misspelled. */
export const misspelling = (agentType: string): string | undefined => {
  const meant = misspelled(agentType)
  return meant && `agent type ${quoted(agentType)} is not known, so the prompt is plain text: did you mean '${meant}'?`
}

/**
 * Adds it to the report, if any, of a prompt that was laid out as plain text.
 * @param agentType As the caller wrote it. Undefined for a layout.
 */
export const reportMisspelling = (
  report: { agentType: string; decisions: string[] } | undefined,
  agentType: string | undefined,
) => {
  if (report === undefined || agentType === undefined || report.agentType !== 'unknown') return
  const sentence = misspelling(agentType)
  if (sentence !== undefined) report.decisions.unshift(sentence)
}
