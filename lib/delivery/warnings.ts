/** Warnings about a plan before it is carried out. */
import { utf16Units } from './measure.js'
import { escaped } from './quoted.js'
import { endWithoutSpaces, skipSpaces } from './white-space.js'
import type { Guard, Profile } from './profiles/profile.js'
import type { Request } from './arguments.js'

/**
 * A warning about a plan:
 * - `command`, `file-mention`, `skill-mention`, `plugin-mention`: the CLI would act on the text at `at`;
 * - `blank`: the prompt is only white space, and the CLI sends it;
 * - `byte-order-mark`, `trailing-space`: the CLI strips it from the prompt;
 * - `system-ignored`: the CLI keeps the system text of the session's first turn, so this one is not
 *   passed;
 * - `system-overrides`: the system text replaces one that the user has configured;
 * - `instructions-kept`: the CLI cannot be kept from reading instruction files;
 * - `resume-directory`: the session is only found in its own directory, and `cwd` is not set;
 * - `repeated-argument`: `extraArgs` that repeat what the plan has were left out;
 * - `shim`: a `.cmd` file would change or refuse the arguments;
 * - `unknown-agent`: the agent type is unknown, and looks like a misspelled one.
 */
export interface DeliveryWarning {
  code:
    | 'command'
    | 'file-mention'
    | 'skill-mention'
    | 'plugin-mention'
    | 'blank'
    | 'byte-order-mark'
    | 'trailing-space'
    | 'system-ignored'
    | 'system-overrides'
    | 'instructions-kept'
    | 'resume-directory'
    | 'repeated-argument'
    | 'shim'
    | 'unknown-agent'
  message: string
  /**
   * Where in the prompt, in UTF-16 units: an index into the prompt as a string. The first 100 places of
   * each kind are listed; one more warning without `at` counts the rest.
   */
  at?: number
}

/** How many places of one kind get a warning each; the rest are only counted. */
export const MAX_LISTED_PLACES = 100

const MAX_SHOWN_CHARACTERS = 40

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** Printable ASCII that needs no escapes, up to white space of ASCII or as much as is shown. */
const PLAIN_WORD = /^(?:[!#-[\]-~]{40}|[!#-[\]-~]{0,39}(?=[ \t\n\f\r]|$))/

/** Up to the first white space, of any script. */
const FIRST_WORD = /^\S{0,40}/u

/** What a CLI would lose, or do in another way. */
export const warningsOf = (
  { command, resume: how, skipInstructions, stripsByteOrderMark, trimsEnd }: Profile,
  { prompt, resume, cwd, projectInstructions }: Request,
) => {
  const warnings: DeliveryWarning[] = []
  if (resume !== undefined && cwd === undefined && how !== undefined && how.directory !== 'any') {
    const message = `${command} resumes a session only in the directory where it began: pass it as cwd`
    warnings.push({ code: 'resume-directory', message })
  }
  if (projectInstructions === 'skip' && skipInstructions === undefined) {
    const message = `${command} cannot be kept from reading the project's instruction files`
    warnings.push({ code: 'instructions-kept', message })
  }
  if (stripsByteOrderMark && prompt.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) {
    warnings.push({ code: 'byte-order-mark', message: `${command} strips the byte order mark`, at: 0 })
  }
  const end = trimsEnd ? endWithoutSpaces(prompt) : prompt.length
  if (end < prompt.length) {
    const at = utf16Units(prompt.subarray(0, end))
    warnings.push({ code: 'trailing-space', message: `${command} strips white space at the end`, at })
  }
  if (skipSpaces(prompt, 0) === prompt.length) {
    warnings.push({ code: 'blank', message: `the prompt is only white space, and ${command} sends it anyway`, at: 0 })
  }
  return warnings
}

const NAMES: Record<string, string> = { ' ': 'a space', '\\': 'a backslash', '\u2060': 'U+2060' }

const disarmedBy = ({ disarm }: Guard, { guard }: Request) => {
  if (guard === 'report') return ''
  if ('env' in disarm) {
    const variables = Object.entries(disarm.env).map(([name, value]) => `${name}=${value}`)
    return `; ${variables.join(' ')} prevents that, and the text stays as it is`
  }
  if ('before' in disarm) return `; ${NAMES[disarm.before] ?? disarm.before} was put before it`
  return `; ${NAMES[disarm.after] ?? disarm.after} was put after the sign`
}

const shownWord = (prompt: Buffer, at: number) => {
  // A character takes at most four bytes.
  const text = prompt.toString('utf8', at, at + 4 * MAX_SHOWN_CHARACTERS)
  const plain = PLAIN_WORD.exec(text)?.[0]
  const word = plain ?? escaped(FIRST_WORD.exec(text)?.[0] ?? '').replaceAll("'", "\\'")
  return `"${word}"`
}

/** The places at which a CLI would act, and what was done about them. */
export const listPlaces = ({ command }: Profile, guard: Guard, request: Request, places: Float64Array) => {
  const { code, effect } = guard
  const { prompt } = request
  const disarmed = disarmedBy(guard, request)
  const warnings: DeliveryWarning[] = []
  let [counted, units] = [0, 0]
  for (const place of places.subarray(0, MAX_LISTED_PLACES)) {
    units += utf16Units(prompt.subarray(counted, place))
    counted = place
    warnings.push({ code, message: `at ${shownWord(prompt, place)} ${command} would ${effect}${disarmed}`, at: units })
  }
  const rest = places.length - MAX_LISTED_PLACES
  if (rest > 0) warnings.push({ code, message: `${rest} more of these are not listed${disarmed}` })
  return warnings
}
