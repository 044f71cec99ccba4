/** `ModelMessage` of the AI SDK, and the prompt of a `LanguageModelMiddleware`, which is like it. */
import { isMissing } from '../../checks/kinds.js'
import { eachPart, type ListForm, image, MODEL, objectAt, type PartKind, eachLinked } from './form.js'
import { partsOf, textIn, TOOLS, USER } from './form.js'

const ofMediaType: PartKind = (part, path, measure) => {
  measure.file(part, String(part.mediaType).startsWith('image/'), path)
}

const outputPart = partsOf({ text: textIn('text') }, (part, path, measure) => {
  const { type, mediaType } = part
  const isImage = isMissing(mediaType) ? String(type).startsWith('image') : String(mediaType).startsWith('image/')
  measure.file(part, isImage, path)
})

const result: PartKind = (part, path, measure) => {
  measure.count('result')
  measure.text(part.toolName, path, 'toolName')
  const output = objectAt(part.output, path, 'output')
  const at = `${path}.output`
  if (output.type === 'execution-denied') measure.optionalText(output.reason, at, 'reason')
  else if (output.type !== 'content') measure.data(output.value, at, 'value')
  else eachPart(output.value, at, 'value', (each, place) => outputPart(each, place, measure))
}

const approval: PartKind = ({ reason }, path, measure) => measure.optionalText(reason, path, 'reason')

const measurePart = partsOf({
  text: textIn('text'),
  reasoning: textIn('text'),
  image,
  file: ofMediaType,
  'tool-call'(part, path, measure) {
    measure.count('call')
    measure.text(part.toolName, path, 'toolName')
    measure.data(part.input, path, 'input')
  },
  'tool-result': result,
  'tool-approval-request': approval,
  'tool-approval-response': approval,
})

export const aiSdk: ListForm = {
  isInstruction: ({ role }) => role === 'system',
  links: ({ role, content }, links) => {
    if (role === 'tool') {
      eachLinked(content, (part) => {
        if (part.type === 'tool-result') links.result(part.toolCallId)
      })
      return TOOLS
    }
    if (role !== 'assistant') return USER
    // Calls that the provider executes have their results in the same message. Calls that wait for
    // approval get results once the SDK has executed them.
    const [calls, waiting]: [unknown[], Set<unknown>] = [[], new Set()]
    eachLinked(content, (part) => {
      if (part.type === 'tool-approval-request') waiting.add(part.toolCallId)
      if (part.type === 'tool-call' && part.providerExecuted !== true) calls.push(part.toolCallId)
    })
    for (const id of calls) links.call(id, waiting.has(id))
    return MODEL
  },
  measure: (message, path, measure) => {
    measure.content(message.content, path, 'content', measurePart)
  },
}
