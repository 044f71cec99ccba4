'use strict'
/** The options that say which session of a CLI is read. */
const native = require('../../binding.js')
const { UsageError } = require('./command.js')

/** The CLIs whose sessions can be read. */
const READABLE = Array.from(native.transcriptPlaces(), ({ agent }) => agent)

/** @type {{ [name: string]: import('./command.js').Option }} */
const SESSION_OPTIONS = {
  session: { value: 'ID', about: 'the session; by default, the newest one of the directory', fields: ['session'] },
  file: { value: 'FILE', about: 'the file of the session, wherever it is', completes: 'file', fields: ['file'] },
  cwd: {
    value: 'DIR',
    about: 'the directory that the session is about; by default, this one',
    completes: 'directory',
    fields: ['cwd'],
  },
}

/**
 * Reads the session that the options name.
 * @param {string} agent
 * @param {import('./command.js').Call} call
 */
const readSession = async (agent, { values, progress }) => {
  const { session, file, cwd } = values
  if (file !== undefined && session !== undefined) throw new UsageError('--file and --session cannot both be read')
  const { readTranscript } = require('../transcripts/transcripts.js')
  progress.say(`reading a session of ${agent}`)
  return readTranscript({ agent, session, file, cwd })
}

module.exports = { READABLE, SESSION_OPTIONS, readSession }
