/** Input items of OpenAI's Responses. */
import { isMissing } from '../../checks/kinds.js'
import { type Fields, type ListForm, type Measure, noLinks } from './form.js'

/** Calls that the caller answers with an item whose type ends in `_output`. */
const ANSWERED = new Set(['function_call', 'custom_tool_call', 'computer_call', 'shell_call', 'apply_patch_call'])

const isMessage = (item: Fields) => item.type === 'message' || isMissing(item.type)

export const openai: ListForm = {
  startsWithUser: false,
  resultsAnywhere: true,
  // Reasoning has to stay with what the model has written after it.
  runsTogether: true,
  isSystem: (item) => isMessage(item) && (item.role === 'system' || item.role === 'developer'),
  links: (item) => {
    if (isMessage(item)) return noLinks(item.role === 'assistant' ? 'model' : 'user')
    const type = typeof item.type === 'string' ? item.type : ''
    if (type === 'local_shell_call') return { kind: 'model', calls: [String(item.call_id)], results: [] }
    if (type === 'local_shell_call_output') return { kind: 'results', calls: [], results: [String(item.id)] }
    if (type === 'mcp_approval_request') return { kind: 'model', calls: [String(item.id)], results: [] }
    if (type === 'mcp_approval_response') {
      return { kind: 'results', calls: [], results: [String(item.approval_request_id)] }
    }
    if (ANSWERED.has(type)) return { kind: 'model', calls: [String(item.call_id)], results: [] }
    const isAnswer = type.endsWith('_output') && ANSWERED.has(type.slice(0, -7))
    return isAnswer ? { kind: 'results', calls: [], results: [String(item.call_id)] } : noLinks('model')
  },
  measure: (item, path, measure) => {
    if (isMessage(item)) return measureContent(item.content, path, 'content', measure)
    switch (item.type) {
      case 'function_call':
      case 'custom_tool_call':
        measure.count('calls')
        measure.text(item.name, path, 'name')
        return measure.data(item.type === 'function_call' ? item.arguments : item.input, path, 'arguments')
      case 'function_call_output':
      case 'custom_tool_call_output':
        measure.count('results')
        return measureContent(item.output, path, 'output', measure)
      case 'reasoning':
        if (!isMissing(item.summary)) measureContent(item.summary, path, 'summary', measure)
        if (!isMissing(item.content)) measureContent(item.content, path, 'content', measure)
        return measure.sealed(item.encrypted_content)
      case 'compaction':
        return measure.sealed(item.encrypted_content)
      default:
        measure.count('calls')
        return measure.unknownPart(item, path, 'type')
    }
  },
}

const measureContent = (content: unknown, path: string, name: string, measure: Measure) =>
  measure.content(content, path, name, (part, at) => {
    if (part.type === 'refusal') measure.part(part.refusal, at, 'refusal')
    else if (part.type === 'input_image') measure.file(part, true, at)
    else if (part.type === 'input_file' || part.type === 'input_audio') measure.file(part, false, at)
    else if (typeof part.text === 'string') measure.part(part.text, at, 'text')
    else measure.unknownPart(part, at, 'type')
  })
