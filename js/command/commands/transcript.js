'use strict'
/** `promptmason transcript`: what a CLI has stored about a session. */
const { visible, visibleLine } = require('../../explain/page/visible.js')
const { counted, grouped, sizeOf } = require('../../explain/page/words.js')
const { partText } = require('../../explain/parts.js')
const { fit, hasColors, padEnd, padStart, painter } = require('../../explain/terminal.js')
const { UsageError } = require('../command.js')
const { READABLE, SESSION_OPTIONS, readSession } = require('../session-options.js')

/** @typedef {import('../../../index.d.ts').Transcript} Transcript */
/** @typedef {import('../../../index.d.ts').TranscriptFile} TranscriptFile */
/** @typedef {{ columns: number, paint: import('../../explain/terminal.js').Paint, all: boolean }} Style */

/** How many lines of a part are shown. */
const SHOWN_LINES = 6

/** @param {import('../command.js').Surroundings} surroundings @param {boolean} all @returns {Style} */
const styleOf = ({ stdout, env }, all) => ({
  columns: Math.max(40, Math.min(stdout.columns ?? 80, 160)),
  paint: painter(hasColors(stdout, env)),
  all,
})

/** @param {string} text @param {Style} style @param {string} indent */
const textLines = (text, { columns, paint, all }, indent) => {
  const lines = visible(text).split('\n')
  const shown = all ? lines : lines.slice(0, SHOWN_LINES)
  const more = lines.length - shown.length
  return [
    ...shown.map((line) => `${indent}${all ? line : fit(line, columns - indent.length)}`),
    ...(more > 0 ? [`${indent}${paint('dim', `… ${counted(more, 'more line')} (--all shows them)`)}`] : []),
  ]
}

/** @param {import('../../../index.d.ts').TranscriptMessage} message @param {Style} style */
const messageLines = ({ speaker, timestamp, parts }, style) => [
  '',
  `${style.paint(speaker.type === 'human' ? 'cyan' : 'green', visibleLine(speaker.id))}${style.paint('dim', timestamp === undefined ? '' : `  ${timestamp.toISOString()}`)}`,
  ...parts.flatMap((part) => {
    if (part.type === 'text') return textLines(part.text, style, '  ')
    const { title, text } = partText(part)
    return [`  ${style.paint('yellow', fit(visibleLine(title), style.columns - 2))}`, ...textLines(text, style, '    ')]
  }),
]

/** @param {Transcript} transcript */
const overview = ({ agent, session, file, cwd, model, version, startedAt, messages, omitted }) => [
  `${agent} ${visibleLine(session)}`,
  ...Object.entries({ directory: cwd, model, version, began: startedAt?.toISOString(), file }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`  ${padEnd(name, 10)}${visibleLine(value)}`]),
  ),
  `  ${padEnd('messages', 10)}${grouped(messages.length)}${omitted.messages === 0 ? '' : `, and ${counted(omitted.messages, 'message')} (${sizeOf(omitted.bytes)}) that were not read`}`,
]

/** @param {Transcript} transcript @param {Style} style */
const picture = (transcript, style) => {
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

/** @param {TranscriptFile[]} sessions */
const list = (sessions) =>
  sessions.length === 0
    ? 'No session was found.\n'
    : `${sessions
        .map(
          ({ session, modifiedAt, bytes, file }) =>
            `${visibleLine(session)}  ${modifiedAt.toISOString()}  ${padStart(sizeOf(bytes), 12)}  ${visibleLine(file)}`,
        )
        .join('\n')}\n`

/** @type {import('../command.js').Command} */
const transcript = {
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
    const { agent, list: isList, cwd, session, file, all } = call.values
    if (agent === undefined) throw new UsageError(`transcript needs --agent: ${READABLE.join(', ')}`)
    if (isList) {
      if (session !== undefined || file !== undefined)
        throw new UsageError('--list lists the sessions of a directory: it takes no --session and no --file')
      const { listTranscripts } = require('../../transcripts/transcripts.js')
      call.progress.say(`looking for sessions of ${agent}`)
      const sessions = await listTranscripts({ agent, cwd })
      return { value: sessions, text: () => list(sessions) }
    }
    const read = await readSession(agent, call)
    return { value: read, text: () => picture(read, styleOf(call.surroundings, all === true)) }
  },
}

module.exports = { transcript }
