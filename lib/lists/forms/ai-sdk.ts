/** `ModelMessage` of the AI SDK, and the prompt of a `LanguageModelMiddleware`, which is like it. */
import { isMissing } from '../../checks/kinds.js'
import { eachPart, type Fields, type ListForm, type Measure, noLinks, objectAt } from './form.js'

export const aiSdk: ListForm = {
  // Providers require this, although the SDK does not. A list that fits stays as it is.
  startsWithUser: false,
  resultsAnywhere: false,
  runsTogether: false,
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

const measurePart = (part: Fields, path: string, measure: Measure) => {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return measure.part(part.text, path, 'text')
    case 'image':
      return measure.file(part, true, path)
    case 'file':
      return measure.file(part, String(part.mediaType).startsWith('image/'), path)
    case 'tool-call':
      measure.count('calls')
      measure.text(part.toolName, path, 'toolName')
      return measure.data(part.input, path, 'input')
    case 'tool-result':
      measure.count('results')
      measure.text(part.toolName, path, 'toolName')
      return measureOutput(objectAt(part.output, path, 'output'), `${path}.output`, measure)
    case 'tool-approval-request':
    case 'tool-approval-response':
      return measure.optionalText(part.reason, path, 'reason')
    default:
      return measure.unknownPart(part, path, 'type')
  }
}

const measureOutput = (output: Fields, path: string, measure: Measure) => {
  if (output.type === 'execution-denied') return measure.optionalText(output.reason, path, 'reason')
  if (output.type !== 'content') return measure.data(output.value, path, 'value')
  eachPart(output.value, path, 'value', (part, at) => {
    if (part.type === 'text') measure.part(part.text, at, 'text')
    else {
      const { type, mediaType } = part
      const isImage = isMissing(mediaType) ? String(type).startsWith('image') : String(mediaType).startsWith('image/')
      measure.file(part, isImage, at)
    }
  })
}
