/** `promptmason transcript`: what a CLI has stored about a session. */
import { counted, grouped, sizeOf, visible, visibleLine } from '../../explain/page/words.js'
import { partText } from '../../explain/parts.js'
import { fit, padEnd, padStart, type Paint } from '../../explain/terminal.js'
import { type Command, UsageError } from '../command.js'
import { styleOn } from '../picture.js'
import { READABLE, SESSION_OPTIONS, readSession } from '../session-options.js'
import type { Transcript, TranscriptFile, TranscriptMessage } from '../../transcripts/transcripts.js'

export type Style = { columns: number; paint: Paint; all: boolean }

const SHOWN_LINES = 6

const textLines = (text: string, { columns, paint, all }: Style, indent: string) => {
  const lines = visible(text).split('\n')
  const shown = all ? lines : lines.slice(0, SHOWN_LINES)
  const more = lines.length - shown.length
  return [
    ...shown.map((line) => `${indent}${all ? line : fit(line, columns - indent.length)}`),
    ...(more > 0 ? [`${indent}${paint('dim', `… ${counted(more, 'more line')} (--all shows them)`)}`] : []),
  ]
}

const messageLines = ({ speaker, timestamp, parts }: TranscriptMessage, style: Style) => [
  '',
  `${style.paint(speaker.type === 'human' ? 'cyan' : 'green', visibleLine(speaker.id))}${style.paint('dim', timestamp === undefined ? '' : `  ${timestamp.toISOString()}`)}`,
  ...parts.flatMap((part) => {
    if (part.type === 'text') return textLines(part.text, style, '  ')
    const { title, text } = partText(part)
    return [`  ${style.paint('yellow', fit(visibleLine(title), style.columns - 2))}`, ...textLines(text, style, '    ')]
  }),
]

const overview = ({ agent, session, file, cwd, model, version, startedAt, messages, omitted }: Transcript) => [
  `${agent} ${visibleLine(session)}`,
  ...Object.entries({ directory: cwd, model, version, began: startedAt?.toISOString(), file }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`  ${padEnd(name, 10)}${visibleLine(value)}`]),
  ),
  `  ${padEnd('messages', 10)}${grouped(messages.length)}${omitted.messages === 0 ? '' : `, and ${counted(omitted.messages, 'message')} (${sizeOf(omitted.bytes)}) that were not read`}`,
]

const picture = (transcript: Transcript, style: Style) => {
  const { summary, branches, skipped, messages } = transcript
  const [title = '', ...facts] = overview(transcript)
  const notes = [
    ...branches.map(
      ({ kind, id, messages: said }) =>
        `${kind} ${visibleLine(id)}: ${counted(said.length, 'message')}, not part of it`,
    ),
    ...skipped.map(
      ({ kind, count, firstLine }) =>
        `${counted(count, 'entry', 'entries')} not understood: ${visibleLine(kind)}, first in line ${grouped(firstLine)}`,
    ),
  ]
  return `${[
    style.paint('bold', title),
    ...facts,
    ...notes.map((note) => `  ${fit(note, style.columns - 2)}`),
    ...(summary === undefined
      ? []
      : [
          '',
          style.paint('bold', `Summary of the first ${counted(summary.covers, 'message')}`),
          ...textLines(summary.text, style, '  '),
        ]),
    ...messages.flatMap((message) => messageLines(message, style)),
  ].join('\n')}\n`
}

const list = (sessions: TranscriptFile[]) =>
  sessions.length === 0
    ? 'No session was found.\n'
    : `${sessions
        .map(
          ({ session, modifiedAt, bytes, file }) =>
            `${visibleLine(session)}  ${modifiedAt.toISOString()}  ${padStart(sizeOf(bytes), 12)}  ${visibleLine(file)}`,
        )
        .join('\n')}\n`

export const transcript: Command = {
  name: 'transcript',
  args: [],
  about: 'Show a stored session of a CLI',
  options: {
    agent: { value: 'CLI', about: 'the CLI that has stored it', choices: READABLE, fields: ['agent'] },
    ...SESSION_OPTIONS,
    list: { about: 'list the sessions of the directory, newest first' },
    all: { about: 'show every line of every message' },
  },

  async run(call) {
    const { values, switches, surroundings, progress } = call
    const { agent, cwd, session, file } = values
    const { stdout, env } = surroundings
    if (agent === undefined) throw new UsageError(`transcript needs --agent: ${READABLE.join(', ')}`)
    if (switches.has('list')) {
      if (session !== undefined || file !== undefined)
        throw new UsageError('--list lists the sessions of a directory: it takes no --session and no --file')
      const { listTranscripts } =
        require('../../transcripts/transcripts.js') as typeof import('../../transcripts/transcripts.js')
      progress.say(`looking for sessions of ${agent}`)
      const sessions = await listTranscripts({ agent, cwd })
      return { value: sessions, text: () => list(sessions) }
    }
    const read = await readSession(agent, call)
    return { value: read, text: () => picture(read, { ...styleOn(stdout, env, 160), all: switches.has('all') }) }
  },
}
