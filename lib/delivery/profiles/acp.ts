import { acpFormat } from '../formats/acp.js'
import type { Facts, Profile } from './profile.js'

/**
 * What is true of every agent that speaks the Agent Client Protocol: a prompt of any size is one message,
 * another message resumes a session, and there is no place for a system text.
 */
export const acp: Partial<Profile> & Pick<Facts, 'format'> = {
  isAcp: true,
  format: acpFormat,
  resume: { args: [], directory: 'same' },
  // Set by answering its permission requests.
  permissions: { 'read-only': {}, edit: {}, all: {} },
}
