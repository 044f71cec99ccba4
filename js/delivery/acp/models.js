'use strict'

/**
 * The session option that sets the model.
 * @param {readonly any[] | undefined} configOptions
 */
const modelOptionOf = (configOptions) => {
  const option = (configOptions ?? []).find(({ category }) => category === 'model')
  if (option === undefined) throw new Error('the agent does not offer a choice of models')
  return option
}

module.exports = { modelOptionOf }
