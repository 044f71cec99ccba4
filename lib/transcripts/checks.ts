/** What `readTranscript` and `listTranscripts` take. */
import { transcriptPlaces } from '../../binding.js'
import { profileOf } from '../delivery/profiles/index.js'
import { recordOf } from '../checks/fields.js'
import { integer, listed, optional, refined, string } from '../checks/kinds.js'
import { unknownValue } from '../checks/problems.js'

const AGENTS = Array.from(transcriptPlaces(), ({ agent }) => agent)
const EXPECTED = listed(AGENTS)

/** A CLI by any of its names, as the first of these. */
const agent = refined(string, (name, parent, field) => {
  const profile = profileOf(name)
  const names = new Set([profile?.agentType, ...(profile?.aliases ?? [])])
  return AGENTS.find((known) => names.has(known)) ?? unknownValue(EXPECTED, name, parent, field)
})

/** A path or a name that can be passed to the system. */
const systemString = refined(string, (value, parent, field) =>
  value === '' || value.includes('\0')
    ? unknownValue('a string that is not empty and has no null characters', value, parent, field)
    : value,
)

const listFields = {
  agent,
  cwd: optional(systemString),
  home: optional(systemString),
  command: optional(systemString, 'opencode'),
}

/** How many bytes of messages are kept by default. */
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024

export const checkListOptions = recordOf(listFields, { required: true })
export const checkReadOptions = recordOf(
  {
    ...listFields,
    session: optional(systemString),
    file: optional(systemString),
    maxBytes: optional(integer(1), DEFAULT_MAX_BYTES),
  },
  { required: true },
)
