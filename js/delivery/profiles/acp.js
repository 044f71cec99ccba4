'use strict'
const { acpFormat } = require('../formats/acp.js')

/**
 * What is true of every agent that speaks the Agent Client Protocol: a prompt of any size is one message,
 * another message resumes a session, and there is no place for a system text.
 * @type {Pick<import('./profile.js').Facts, 'isAcp' | 'format' | 'resume' | 'permissions'>}
 */
module.exports = {
  isAcp: true,
  format: acpFormat,
  resume: { args: [], directory: 'same' },
  // Set by answering its permission requests.
  permissions: { 'read-only': {}, edit: {}, all: {} },
}
