'use strict'
/** `contextBudget`: trims what the AI SDK sends to a model. The AI SDK itself is not loaded. */
const { readMiddleware } = require('../checks/lists.js')
const { trimList } = require('./trim.js')

/** @param {unknown} options */
const contextBudget = (options) => {
  const { onTrim, ...budget } = readMiddleware(options)
  return {
    specificationVersion: 'v3',
    /** @param {{ params: any }} call */
    transformParams: async ({ params }) => {
      const { prompt, tools } = params
      const report = onTrim !== undefined
      const trimmed = trimList({ ...budget, as: 'ai-sdk', list: prompt, system: undefined, tools, report })
      if (trimmed.report !== undefined && trimmed.report.dropped.length > 0) onTrim?.(trimmed.report)
      return { ...params, prompt: trimmed.messages }
    },
  }
}

module.exports = { contextBudget }
