/** Contents of Gemini's `generateContent`. */
import { isMissing } from '../../checks/kinds.js'
import { eachPart, fieldsOf, type ListForm, noLinks } from './form.js'

const isImage = (file: unknown) => String(fieldsOf(file).mimeType).startsWith('image/')

export const gemini: ListForm = {
  startsWithUser: true,
  isSystem: ({ role }) => role === 'system',
  links: (content, path) => {
    const links = noLinks(content.role === 'model' ? 'model' : 'user')
    if (isMissing(content.parts)) return links
    // Ids are optional: a call and its result have the same name, and there are as many results as calls.
    eachPart(content.parts, path, 'parts', (part) => {
      if (!isMissing(part.functionCall)) links.calls.push(String(fieldsOf(part.functionCall).name))
      if (!isMissing(part.functionResponse)) links.results.push(String(fieldsOf(part.functionResponse).name))
    })
    if (links.results.length > 0) links.kind = 'results'
    return links
  },
  measure: (content, path, measure) => {
    if (isMissing(content.parts)) return
    eachPart(content.parts, path, 'parts', (part, at) => {
      const { text, functionCall, functionResponse, inlineData, fileData } = part
      if (!isMissing(functionCall)) {
        measure.count('calls')
        const { name, args } = fieldsOf(functionCall)
        measure.optionalText(name, `${at}.functionCall`, 'name')
        measure.data(args, `${at}.functionCall`, 'args')
      } else if (!isMissing(functionResponse)) {
        measure.count('results')
        const { name, response, parts } = fieldsOf(functionResponse)
        measure.optionalText(name, `${at}.functionResponse`, 'name')
        measure.data(response, `${at}.functionResponse`, 'response')
        if (!isMissing(parts)) {
          eachPart(parts, `${at}.functionResponse`, 'parts', (file, place) =>
            measure.file(file, isImage(file.inlineData ?? file.fileData), place),
          )
        }
      } else if (!isMissing(inlineData)) measure.file(part, isImage(inlineData), at)
      else if (!isMissing(fileData)) measure.file(part, isImage(fileData), at)
      else if (!isMissing(text)) measure.part(text, at, 'text')
      else measure.unknownPart(part, at, 'text')
    })
  },
}
