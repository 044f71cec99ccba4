/** What the command exits with. */

export const EXIT = { done: 0, exceeded: 1, usage: 2, internal: 3, failed: 4 } as const

/** The same for people. */
export const MEANINGS: readonly [code: number, meaning: string][] = [
  [EXIT.done, 'done'],
  [EXIT.exceeded, 'the budget is exceeded'],
  [EXIT.usage, 'bad usage or input, or the native binary is missing'],
  [EXIT.internal, 'a bug in promptmason: please report it'],
  [EXIT.failed, 'the agent was started, but did not answer'],
]
