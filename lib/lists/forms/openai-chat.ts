/** Messages of OpenAI's Chat Completions. */
import { isMissing } from '../../checks/kinds.js'
import { eachPart, fieldsOf, file, image, type ListForm, MODEL, eachLinked, partsOf } from './form.js'
import { textIn, TOOLS, USER } from './form.js'

const measurePart = partsOf({
  text: textIn('text'),
  refusal: textIn('refusal'),
  image_url: image,
  input_audio: file,
  file,
})

export const openaiChat: ListForm = {
  isInstruction: ({ role }) => role === 'system' || role === 'developer',
  links: (message, links) => {
    switch (message.role) {
      case 'tool':
        links.result(message.tool_call_id)
        return TOOLS
      case 'function':
        // The older form has one call, known by its name.
        links.result(`function ${message.name}`)
        return TOOLS
      case 'assistant':
        eachLinked(message.tool_calls, ({ id }) => links.call(id))
        if (!isMissing(message.function_call)) links.call(`function ${fieldsOf(message.function_call).name}`)
        return MODEL
      default:
        return USER
    }
  },
  measure: (message, path, measure) => {
    measure.optionalText(message.name, path, 'name')
    measure.optionalText(message.refusal, path, 'refusal')
    if (message.role === 'tool' || message.role === 'function') measure.count('result')
    const { content } = message
    if (!isMissing(content)) measure.content(content, path, 'content', measurePart)
    if (message.role !== 'assistant') return
    if (!isMissing(message.tool_calls)) {
      eachPart(message.tool_calls, path, 'tool_calls', (call, at) => {
        measure.count('call')
        measure.data(call.function ?? call.custom, at, 'function')
      })
    }
    if (!isMissing(message.function_call)) {
      measure.count('call')
      measure.data(message.function_call, path, 'function_call')
    }
  },
}
