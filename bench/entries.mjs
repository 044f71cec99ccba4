/* oxlint-disable no-await-in-loop -- turns run in order */
/** The entries of a workload: each candidate in each of its forms. */
import { messagesOf } from './workloads.mjs'

/**
 * @typedef {'string' | 'bytes' | 'into'} Form
 * @typedef {object} Entry
 * @property {import('./candidates/index.mjs').Candidate} candidate
 * @property {Form} form
 * @property {string} name
 * @property {boolean} [session] Whether a run is a whole session.
 * @property {number} [checkMs] What it took to check it.
 * @property {() => unknown} run One prompt; in a session, all of them. May return a promise.
 * @property {(each: (prompt: Buffer) => void, stride: number) => Promise<void>} replay The same, passing on the prompt; in a session, every n-th one.
 */

/** @type {Form[]} */
export const FORMS = ['string', 'bytes', 'into']

/** @returns {string} */
const nameOf = (candidate, form) => {
  const method = candidate.forms?.[form]
  if (!method) return form === 'into' ? `${candidate.name}, into a buffer` : candidate.name
  return candidate.name === 'ContextManager' ? `ContextManager.${method}` : method
}

/**
 * @param {import('./candidates/index.mjs').Candidate} candidate
 * @param {import('./workloads.mjs').Workload} workload
 * @param {import('./workloads.mjs').Message[]} [messages]
 * @returns {Entry[]}
 */
export function entriesOf(candidate, workload, messages = messagesOf(workload)) {
  const { fixed } = workload
  const own = candidate.messageOf ? messages.map(candidate.messageOf) : messages
  const buffer = Buffer.alloc(fixed.maxBytes)
  const start = () => candidate.start(fixed)
  const whole = () => {
    const conversation = start()
    for (const message of own) conversation.add(message)
    return conversation
  }
  const prompt = (conversation, form) => conversation[form](buffer)
  const bytesOf = (form, result) => {
    if (form === 'into') return buffer.subarray(0, result)
    return form === 'string' ? Buffer.from(result) : result
  }
  const once = workload.session ? start() : whole()
  const forms = FORMS.filter((form) => once[form])

  return forms.map((form) => {
    const session = () => {
      const conversation = start()
      let result
      for (const message of own) {
        conversation.add(message)
        result = prompt(conversation, form)
      }
      return result
    }
    return {
      candidate,
      form,
      name: nameOf(candidate, form),
      session: workload.session,
      run: workload.session ? session : () => prompt(once, form),
      async replay(each, stride) {
        if (!workload.session) return each(bytesOf(form, await prompt(once, form)))
        const conversation = start()
        for (const [turn, message] of own.entries()) {
          conversation.add(message)
          if ((turn + 1) % stride === 0) each(bytesOf(form, await prompt(conversation, form)))
        }
      },
    }
  })
}
