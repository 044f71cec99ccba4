/** The options of a manager and of its turns. */
import { assemblerOptions, markers } from '../prompts/assembler-options.js'
import { instruction } from '../prompts/materials.js'
import { recordOf } from '../checks/fields.js'
import { arrayOf, boolean, entriesOf, func, integer, oneOf, optional, string } from '../checks/kinds.js'
import { layout } from '../prompts/layout.js'
import { wrongType } from '../checks/problems.js'
import { tokenizer } from '../tokens/tokenizer.js'
import type { Kind } from '../checks/kinds.js'
import type { Form } from '../prompts/form.js'

/** Its methods are looked up when there is something to log. */
export const logger: Kind = (value, parent, name) =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'
    ? value
    : wrongType('an object', value, parent, name)

/** Errors name the options of an assembler as its constructor does. */
const optionsOfAgent: Kind = (value) => assemblerOptions(value, '', 'options')

export const managerOptions = recordOf({
  onMessageAdded: optional(func()),
  onTeamTaskChanged: optional(func()),
  onAssembled: optional(func()),
  logger: optional(logger),
  contextWindowSize: optional(integer(0)),
  maxBytes: optional(integer(1)),
  defaultMaxSiblings: optional(integer(0)),
  defaultForceParentReinsertion: optional(boolean),
  siblingContentMaxLength: optional(integer(0)),
  parentReinsertionMaxBytes: optional(integer(0)),
  evictionStep: optional(integer(0)),
  stripMarkers: optional(boolean),
  ids: optional(oneOf(['number', 'keep'])),
  visibility: optional(oneOf(['addressed', 'team'])),
  reasoning: optional(oneOf(['omit', 'keep'])),
  showSender: optional(boolean),
  markers: optional(markers),
  onMissingParent: optional(oneOf(['latest', 'throw'])),
  maxTokens: optional(integer(1)),
  layouts: optional(arrayOf(layout), []),
  tokenizer: optional(tokenizer),
  assemblers: optional(entriesOf(optionsOfAgent), []),
})

/** For one turn, a tokenizer is one of ours: messages are counted once, for all turns. */
const ownTokenizer: Kind = (value, parent, name) => {
  const checked = tokenizer(value, parent, name)
  return typeof checked === 'function'
    ? wrongType("'o200k', 'cl100k' or { bytesPerToken }", value, parent, name)
    : checked
}

const optionalInstruction: Kind<{ given: any; texts: string | string[] | undefined }> = (value, parent, name) => ({
  given: value,
  texts: optional(instruction)(value, parent, name),
})

const fileText: Kind<{ given: any; text: string | undefined }> = (value, parent, name) => ({
  given: value,
  text: optional(string)(value, parent, name),
})

export const turnOptions = recordOf(
  {
    session: optional(oneOf(['delta'])),
    systemInstruction: optionalInstruction,
    instructionFileText: fileText,
    windowSizeOverride: optional(integer(0)),
    recipient: optional(string),
    showSender: optional(boolean),
    maxTokens: optional(integer(1)),
    tokenizer: optional(ownTokenizer),
    maxSiblings: optional(integer(0)),
    forceParentReinsertion: optional(boolean),
  },
  {
    misnamed: { systemInstructionText: 'systemInstruction' },
    besides: ['agentId', 'agentType', 'route', 'api', 'cache', 'model'],
  },
)

export const routeFields = recordOf(
  {
    intent: optional(string),
    parentMessageId: optional(string, ''),
    targetMemberId: optional(string, ''),
  },
  { required: true },
)

/** @param request The request that is made. */
export const turn = (agentId: any, agentType: any, options: unknown, request?: Form['request']) => {
  string(agentId, '', 'agentId')
  string(agentType, '', 'agentType')
  const fields = turnOptions(options, '', 'options') as any
  const { systemInstruction, instructionFileText } = fields
  fields.agentId = agentId
  fields.agentType = agentType
  fields.api = request?.api
  fields.cache = request?.cache
  fields.model = request?.model
  fields.systemInstruction = systemInstruction.texts
  fields.instructionFileText = instructionFileText.text
  /** What `getContextForAgent` returns unchanged. */
  const given = {
    systemInstruction: systemInstruction.given ?? undefined,
    instructionFileText: instructionFileText.given ?? undefined,
  }
  return { fields, given }
}

export const route = (given: unknown) => routeFields(given, '', 'route')

export const summary = recordOf({ upTo: string, text: string, recipient: optional(string) }, { required: true })
export const exportOptions = recordOf({ after: optional(string) })
export const importOptions = recordOf({ append: optional(boolean, false) })
