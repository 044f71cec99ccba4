/** Contents of Gemini's `generateContent`. */
import { isMissing } from '../../checks/kinds.js'
import { eachPart, fieldsOf, type ListForm, MODEL, eachLinked, TOOLS, USER } from './form.js'

const isImage = (file: unknown) => String(fieldsOf(file).mimeType).startsWith('image/')

export const gemini: ListForm = {
  isInstruction: ({ role }) => role === 'system',
  links: ({ role, parts }, links) => {
    // Ids are optional: a call and its result have the same name, and there are as many results as calls.
    eachLinked(parts, ({ functionCall, functionResponse }) => {
      if (!isMissing(functionCall)) links.call(fieldsOf(functionCall).name)
      if (!isMissing(functionResponse)) links.result(fieldsOf(functionResponse).name)
    })
    if (links.hasResults) return TOOLS
    return role === 'model' ? MODEL : USER
  },
  measure: (content, path, measure) => {
    if (isMissing(content.parts)) return
    eachPart(content.parts, path, 'parts', (part, at) => {
      const { text, functionCall, functionResponse, inlineData, fileData } = part
      if (!isMissing(functionCall)) {
        measure.count('call')
        const { name, args } = fieldsOf(functionCall)
        measure.optionalText(name, `${at}.functionCall`, 'name')
        measure.data(args, `${at}.functionCall`, 'args')
      } else if (!isMissing(functionResponse)) {
        measure.count('result')
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
