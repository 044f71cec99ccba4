/** The options that say which session of a CLI is read. */
import native = require('../../binding.js')
import { counted, grouped } from '../explain/page/words.js'
import { type Call, type Option, UsageError } from './command.js'
import type { Transcript } from '../transcripts/transcripts.js'

export const READABLE = Array.from(native.transcriptPlaces(), ({ agent }) => agent)

export const SESSION_OPTIONS: { [name: string]: Option } = {
  session: { value: 'ID', about: 'the session; by default, the newest one of the directory', fields: ['session'] },
  file: { value: 'FILE', about: 'the file of the session, wherever it is', completes: 'file', fields: ['file'] },
  cwd: {
    value: 'DIR',
    about: 'the directory that the session is about; by default, this one',
    completes: 'directory',
    fields: ['cwd'],
  },
}

export const readSession = async (agent: string, { values, progress }: Call) => {
  const { session, file, cwd } = values
  if (file !== undefined && session !== undefined) throw new UsageError('--file and --session cannot both be read')
  const { readTranscript } = require('../transcripts/transcripts.js') as typeof import('../transcripts/transcripts.js')
  progress.say(`reading a session of ${agent}`)
  const transcript = await readTranscript({ agent, session, file, cwd })
  checkContents(transcript)
  return transcript
}

/** A file of another kind has nothing but entries that are not understood. */
const checkContents = ({ agent, file, messages, summary, branches, omitted, skipped }: Transcript) => {
  if (messages.length + branches.length + omitted.messages > 0 || summary !== undefined) return
  const count = skipped.reduce((sum, entries) => sum + entries.count, 0)
  const [first] = skipped
  throw new UsageError(
    first === undefined
      ? `${file} has no message of a session of ${agent}`
      : `${file} is not a session of ${agent}: ${counted(count, 'entry', 'entries')} not understood, the first in line ${grouped(first.firstLine)} (${first.kind})`,
  )
}
