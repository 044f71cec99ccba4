'use strict'
const { acpFormat } = require('../formats/acp.js')

/**
 * What holds for every agent that speaks the Agent Client Protocol: a prompt of any size is one
 * message, a session is resumed by another, and there is no place for a system text.
 * @type {Pick<import('./profile.js').Facts, 'isAcp' | 'format' | 'resume' | 'permissions'>}
 */
module.exports = {
  isAcp: true,
  format: acpFormat,
  resume: { args: [], directory: 'same' },
  // By answers to its questions.
  permissions: { 'read-only': {}, edit: {}, all: {} },
}
