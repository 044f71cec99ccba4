/** `contextBudget`: trims what the AI SDK sends to a model. The AI SDK itself is not loaded. */
import { readMiddleware } from './checks.js'
import { trimList } from './trim.js'

export const contextBudget = (options: unknown) => {
  const { onTrim, ...budget } = readMiddleware(options)
  return {
    specificationVersion: 'v3',
    transformParams: async ({ params }: { params: any }) => {
      const { prompt, tools } = params
      const report = onTrim !== undefined
      const trimmed = trimList({ ...budget, as: 'ai-sdk', list: prompt, system: undefined, tools, report })
      if (trimmed.report !== undefined && trimmed.report.dropped.length > 0) onTrim?.(trimmed.report)
      return { ...params, prompt: trimmed.messages }
    },
  }
}
