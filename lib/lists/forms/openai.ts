/** Input items of OpenAI's Responses. */
import { isMissing } from '../../checks/kinds.js'
import { type Fields, file, image, type ListForm, type Measure, MODEL, partsOf } from './form.js'
import { textIn, TOOLS, USER } from './form.js'

/** Calls that the caller answers with an item whose type ends in `_output`. */
const ANSWERED = ['function_call', 'custom_tool_call', 'computer_call', 'shell_call', 'apply_patch_call']

const idIn = (field: string) => (type: string) => [type, field] as const

/** Where calls have their ids. */
const CALLS: ReadonlyMap<unknown, string> = new Map([
  ...[...ANSWERED, 'local_shell_call'].map(idIn('call_id')),
  idIn('id')('mcp_approval_request'),
])

/** Where results have the ids of their calls. */
const RESULTS: ReadonlyMap<unknown, string> = new Map([
  ...ANSWERED.map((call) => `${call}_output`).map(idIn('call_id')),
  idIn('id')('local_shell_call_output'),
  idIn('approval_request_id')('mcp_approval_response'),
])

const isMessage = (item: Fields) => item.type === 'message' || isMissing(item.type)

const measurePart = partsOf(
  { refusal: textIn('refusal'), input_image: image, input_file: file, input_audio: file },
  (part, path, measure) => {
    if (typeof part.text === 'string') measure.part(part.text, path, 'text')
    else measure.unknownPart(part, path, 'type')
  },
)

const measureContent = (content: unknown, path: string, name: string, measure: Measure) =>
  measure.content(content, path, name, measurePart)

export const openai: ListForm = {
  isInstruction: (item) => isMessage(item) && (item.role === 'system' || item.role === 'developer'),
  links: (item, links) => {
    if (isMessage(item)) return item.role === 'assistant' ? MODEL : USER
    const [call, result] = [CALLS.get(item.type), RESULTS.get(item.type)]
    if (call !== undefined) links.call(item[call])
    if (result === undefined) return MODEL
    links.result(item[result])
    return TOOLS
  },
  measure: (item, path, measure) => {
    if (isMessage(item)) return measureContent(item.content, path, 'content', measure)
    switch (item.type) {
      case 'function_call':
      case 'custom_tool_call':
        measure.count('call')
        measure.text(item.name, path, 'name')
        return measure.data(item.type === 'function_call' ? item.arguments : item.input, path, 'arguments')
      case 'function_call_output':
      case 'custom_tool_call_output':
        measure.count('result')
        return measureContent(item.output, path, 'output', measure)
      case 'reasoning':
        if (!isMissing(item.summary)) measureContent(item.summary, path, 'summary', measure)
        if (!isMissing(item.content)) measureContent(item.content, path, 'content', measure)
        return measure.sealed(item.encrypted_content)
      case 'compaction':
        return measure.sealed(item.encrypted_content)
      default:
        measure.count('call')
        return measure.unknownPart(item, path, 'type')
    }
  },
}
