/** Messages of OpenAI's Chat Completions. */
import { isMissing } from '../../checks/kinds.js'
import { eachPart, fieldsOf, file, image, type ListForm, noLinks, partsOf, textIn } from './form.js'

const measurePart = partsOf({
  text: textIn('text'),
  refusal: textIn('refusal'),
  image_url: image,
  input_audio: file,
  file,
})

export const openaiChat: ListForm = {
  isSystem: ({ role }) => role === 'system' || role === 'developer',
  links: (message, path) => {
    const { role } = message
    if (role === 'tool') return { kind: 'results', calls: [], results: [String(message.tool_call_id)] }
    // The older form has one call, known by its name.
    if (role === 'function') return { kind: 'results', calls: [], results: [`function ${message.name}`] }
    const links = noLinks(role === 'assistant' ? 'model' : 'user')
    if (role !== 'assistant') return links
    if (!isMissing(message.tool_calls)) {
      eachPart(message.tool_calls, path, 'tool_calls', (call) => links.calls.push(String(call.id)))
    }
    if (!isMissing(message.function_call)) links.calls.push(`function ${fieldsOf(message.function_call).name}`)
    return links
  },
  measure: (message, path, measure) => {
    measure.optionalText(message.name, path, 'name')
    measure.optionalText(message.refusal, path, 'refusal')
    if (message.role === 'tool' || message.role === 'function') measure.count('results')
    const { content } = message
    if (!isMissing(content)) measure.content(content, path, 'content', measurePart)
    if (message.role !== 'assistant') return
    if (!isMissing(message.tool_calls)) {
      eachPart(message.tool_calls, path, 'tool_calls', (call, at) => {
        measure.count('calls')
        measure.data(call.function ?? call.custom, at, 'function')
      })
    }
    if (!isMissing(message.function_call)) {
      measure.count('calls')
      measure.data(message.function_call, path, 'function_call')
    }
  },
}
