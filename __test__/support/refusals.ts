/** What `planDelivery` refuses. */
import { isPromptmasonError } from 'promptmason'

/** The promptmason error that `run` throws, if any. Other errors are rethrown. */
export const refusalOf = (run: () => unknown): any => {
  try {
    run()
  } catch (error) {
    if (isPromptmasonError(error)) return error
    throw error
  }
  return undefined
}
