/** What a member is told about itself: its name, its team, and how it says who is to go on. */
import type { ConversationState } from './state.js'

/** `a`, `a and b`, `a, b and c`. */
const listed = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** It stays the same from turn to turn, so that caches hit and sessions get it once. */
export const briefingOf = ({ options, members }: ConversationState, name: string) => {
  const { briefing, parseReply, visibility } = options
  if (typeof briefing === 'string' || !briefing) return briefing || undefined
  const others = [...members.values()]
    .filter((member) => member.name !== name)
    .map((member) => (member.definition.kind === 'human' ? `${member.name} (human)` : member.name))
  if (others.length === 0) return `You are ${name}.`
  const team = `You are ${name}, in a conversation with ${listed(others)}.`
  if (parseReply !== undefined) return team
  const readers = visibility === 'addressed' ? 'only they read it; without it, everybody does' : 'everybody reads it'
  return `${team} To address your answer, write [NEXT: name], with one or more of these names: ${readers}.`
}
