/** Messages of Anthropic. */
import { isMissing } from '../../checks/kinds.js'
import { eachPart, type Fields, fieldsOf, type ListForm, type Measure, noLinks } from './form.js'

export const anthropic: ListForm = {
  startsWithUser: true,
  resultsAnywhere: false,
  runsTogether: false,
  isSystem: (message) => message.role === 'system',
  links: (message, path) => {
    const links = noLinks(message.role === 'assistant' ? 'model' : 'user')
    const { content } = message
    if (typeof content === 'string') return links
    eachPart(content, path, 'content', (block) => {
      // Calls that the server answers have their results in the same message.
      if (block.type === 'tool_use') links.calls.push(String(block.id))
      if (block.type === 'tool_result') links.results.push(String(block.tool_use_id))
    })
    if (links.results.length > 0) links.kind = 'results'
    return links
  },
  measure: (message, path, measure) => {
    measure.content(message.content, path, 'content', measureBlock)
  },
}

const measureBlock = (block: Fields, path: string, measure: Measure) => {
  switch (block.type) {
    case 'text':
      return measure.part(block.text, path, 'text')
    case 'thinking':
      return measure.part(block.thinking, path, 'thinking')
    case 'redacted_thinking':
      return measure.sealed(block.data)
    case 'image':
      return measure.file(block, true, path)
    case 'document':
      return measureDocument(block, path, measure)
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      measure.count('calls')
      measure.optionalText(block.name, path, 'name')
      return measure.data(block.input, path, 'input')
    case 'tool_result':
      measure.count('results')
      return measureContent(block.content, path, measure)
    default:
      return measure.unknownPart(block, path, 'type')
  }
}

const measureContent = (content: unknown, path: string, measure: Measure) => {
  if (isMissing(content)) return
  if (typeof content === 'string') return measure.text(content, path, 'content')
  eachPart(content, path, 'content', (block, at) => {
    if (block.type === 'text') measure.part(block.text, at, 'text')
    else if (block.type === 'image') measure.file(block, true, at)
    else if (block.type === 'document') measureDocument(block, at, measure)
    else measure.unknownPart(block, at, 'type')
  })
}

const measureDocument = (block: Fields, path: string, measure: Measure) => {
  const source = fieldsOf(block.source)
  measure.optionalText(block.title, path, 'title')
  measure.optionalText(block.context, path, 'context')
  if (source.type === 'text') measure.part(source.data, `${path}.source`, 'data')
  else if (source.type === 'content') {
    measure.content(source.content, `${path}.source`, 'content', (part, at) => {
      if (part.type === 'text') measure.part(part.text, at, 'text')
      else measure.file(part, part.type === 'image', at)
    })
  } else measure.file(block, false, path)
}
