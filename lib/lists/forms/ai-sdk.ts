/** `ModelMessage` of the AI SDK, and the prompt of a `LanguageModelMiddleware`, which is like it. */
import { isMissing } from '../../checks/kinds.js'
import { eachPart, type ListForm, image, noLinks, objectAt, type PartKind, partsOf, textIn } from './form.js'

const ofMediaType: PartKind = (part, path, measure) => {
  measure.file(part, String(part.mediaType).startsWith('image/'), path)
}

const outputPart = partsOf({ text: textIn('text') }, (part, path, measure) => {
  const { type, mediaType } = part
  const isImage = isMissing(mediaType) ? String(type).startsWith('image') : String(mediaType).startsWith('image/')
  measure.file(part, isImage, path)
})

const result: PartKind = (part, path, measure) => {
  measure.count('results')
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
    measure.count('calls')
    measure.text(part.toolName, path, 'toolName')
    measure.data(part.input, path, 'input')
  },
  'tool-result': result,
  'tool-approval-request': approval,
  'tool-approval-response': approval,
})

export const aiSdk: ListForm = {
  // Not `startsWithUser`: providers require it, but the SDK does not, and a list that fits stays as it is.
  isSystem: ({ role }) => role === 'system',
  links: (message, path) => {
    const { role, content } = message
    if (role === 'tool') {
      const links = noLinks('results')
      eachPart(content, path, 'content', (part) => {
        if (part.type === 'tool-result') links.results.push(String(part.toolCallId))
      })
      return links
    }
    const links = noLinks(role === 'assistant' ? 'model' : 'user')
    if (role !== 'assistant' || typeof content === 'string') return links
    // Calls that the provider executes have their results in the same message. Calls that wait for
    // approval get results once the SDK has executed them.
    const waiting = new Set<string>()
    eachPart(content, path, 'content', (part) => {
      if (part.type === 'tool-approval-request') waiting.add(String(part.toolCallId))
      if (part.type === 'tool-call' && part.providerExecuted !== true) links.calls.push(String(part.toolCallId))
    })
    if (waiting.size > 0) links.waiting = waiting
    return links
  },
  measure: (message, path, measure) => {
    measure.content(message.content, path, 'content', measurePart)
  },
}
