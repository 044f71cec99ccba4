/**
 * What happens during a turn and after it: tools that run when a turn is ended, answers that are
 * cut off, concurrent turns, and unusual working directories.
 */
import type { Fact } from './facts.js'
import { ACP } from './situations/acp.js'
import { ANSWERS } from './situations/answers.js'
import { CHANGES } from './situations/changes.js'
import { ENDED } from './situations/ended.js'
import { LIMITS } from './situations/limits.js'
import { PERMISSIONS } from './situations/permissions.js'
import { PLACES } from './situations/places.js'
import { SESSIONS } from './situations/sessions.js'
import { SETTINGS } from './situations/settings.js'

export const SITUATIONS: readonly Fact[] = [
  ...ENDED,
  ...ANSWERS,
  ...SETTINGS,
  ...PERMISSIONS,
  ...PLACES,
  ...SESSIONS,
  ...LIMITS,
  ...CHANGES,
  ...ACP,
]
