/** What `planDelivery` refuses. */
import { isPromptmasonError } from 'promptmason'

/** The error of ours that `run` throws, if it throws one. Another one is thrown on. */
export const refusalOf = (run: () => unknown): any => {
  try {
    run()
  } catch (error) {
    if (isPromptmasonError(error)) return error
    throw error
  }
  return undefined
}
