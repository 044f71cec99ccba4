/** The session option that sets the model. */
export const modelOptionOf = (configOptions: readonly any[] | undefined) => {
  const option = (configOptions ?? []).find(({ category }) => category === 'model')
  if (option === undefined) throw new Error('the agent does not offer a choice of models')
  return option
}
