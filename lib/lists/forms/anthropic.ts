/** Messages of Anthropic. */
import { isMissing } from '../../checks/kinds.js'
import { eachPart, fieldsOf, image, type ListForm, MODEL, type PartKind, eachLinked } from './form.js'
import { partsOf, textIn, TOOLS, USER } from './form.js'

const nested = partsOf({ text: textIn('text') }, (part, path, measure) => {
  measure.file(part, part.type === 'image', path)
})

const document: PartKind = (block, path, measure) => {
  const source = fieldsOf(block.source)
  measure.optionalText(block.title, path, 'title')
  measure.optionalText(block.context, path, 'context')
  if (source.type === 'text') measure.part(source.data, `${path}.source`, 'data')
  else if (source.type === 'content') measure.content(source.content, `${path}.source`, 'content', nested)
  else measure.file(block, false, path)
}

const call: PartKind = (block, path, measure) => {
  measure.count('call')
  measure.optionalText(block.name, path, 'name')
  measure.data(block.input, path, 'input')
}

const resultPart = partsOf({ text: textIn('text'), image, document })

const result: PartKind = ({ content }, path, measure) => {
  measure.count('result')
  if (isMissing(content)) return
  if (typeof content === 'string') measure.text(content, path, 'content')
  else eachPart(content, path, 'content', (part, at) => resultPart(part, at, measure))
}

const measureBlock = partsOf({
  text: textIn('text'),
  thinking: textIn('thinking'),
  redacted_thinking: ({ data }, _, measure) => measure.sealed(data),
  image,
  document,
  tool_use: call,
  server_tool_use: call,
  mcp_tool_use: call,
  tool_result: result,
})

export const anthropic: ListForm = {
  isInstruction: ({ role }) => role === 'system',
  links: ({ role, content }, links) => {
    // Calls that the server answers have their results in the same message.
    eachLinked(content, (block) => {
      if (block.type === 'tool_use') links.call(block.id)
      if (block.type === 'tool_result') links.result(block.tool_use_id)
    })
    if (links.hasResults) return TOOLS
    return role === 'assistant' ? MODEL : USER
  },
  measure: (message, path, measure) => {
    measure.content(message.content, path, 'content', measureBlock)
  },
}
