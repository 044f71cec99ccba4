/** The interface of a list form. */
import type { Fields, Measure } from '../measure.js'

/** What ties a message to others. */
export interface Links {
  /**
   * Whether the user begins a turn with it, the model has
   * written it, or it has the results of tool calls.
   */
  kind: 'user' | 'model' | 'results'
  /** The ids of tool calls that need a result in another message. */
  calls: string[]
  /** The ids of the calls whose results it has. */
  results: string[]
  /** The calls that need no result yet. */
  waiting?: Set<string>
}

/** The interface of a list form. */
export interface ListForm {
  /** Whether the first message has to be from the user. */
  startsWithUser: boolean
  /**
   * Whether results may be anywhere after their calls. Otherwise, they
   * follow the message with the calls.
   */
  resultsAnywhere: boolean
  /** Whether consecutive messages of the model belong together. */
  runsTogether: boolean
  /** Whether a message is an instruction, which stays. */
  isSystem: (message: Fields) => boolean
  links: (message: Fields, path: string) => Links
  measure: (message: Fields, path: string, measure: Measure) => void
}

export const noLinks = (kind: Links['kind']): Links => ({ kind, calls: [], results: [] })
