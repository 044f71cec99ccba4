/** `promptmason instructions`: which instruction files and URLs a project leads to, and what happened to them. */
import native = require('../../../binding.js')
import { counted, grouped, visibleLine } from '../../explain/page/words.js'
import { fit, fitPath, padEnd, padStart, type Paint } from '../../explain/terminal.js'
import { checkDirectory } from '../directory.js'
import { styleOn } from '../picture.js'
import type { LoadedInstruction } from '../../instructions/load-instructions.js'
import type { InstructionFetch, InstructionPreset } from '../../instructions/options.js'
import type { Command, Surroundings } from '../command.js'
import type { Progress } from '../progress.js'

const STATUSES: { [status: string]: [word: string, color: string] } = {
  loaded: ['used', 'green'],
  truncated: ['shortened', 'yellow'],
  empty: ['empty', 'gray'],
  skipped: ['not used', 'yellow'],
  failed: ['failed', 'red'],
}

const sourceLines = (
  { source, origin, from, status, bytes, reason }: LoadedInstruction,
  paint: Paint,
  columns: number,
) => {
  const [word, color] = STATUSES[status] ?? [status, 'gray']
  const where = from === undefined ? origin : `included by ${visibleLine(from)}`
  const because = reason === undefined ? where : `${where}: ${visibleLine(reason)}`
  const named = (/^\w+:\/\//.test(source) ? fit : fitPath)(visibleLine(source), columns - 21)
  return [
    `${paint(color, padEnd(word, 9))} ${padStart(grouped(bytes), 9)}  ${named}`,
    `${' '.repeat(21)}${paint('dim', fit(because, columns - 21))}`,
  ]
}

const picture = (sources: LoadedInstruction[], { stdout, env }: Surroundings) => {
  if (sources.length === 0) return 'No instruction file was found.\n'
  const { columns, paint } = styleOn(stdout, env, 160)
  const used = sources.filter(({ status }) => status === 'loaded' || status === 'truncated')
  const sum = used.reduce((bytes, { text }) => bytes + Buffer.byteLength(text ?? ''), 0)
  return `${[
    ...sources.flatMap((source) => sourceLines(source, paint, columns)),
    '',
    `${counted(sources.length, 'source')}, ${grouped(used.length)} used, ${counted(sum, 'byte')} of text`,
  ].join('\n')}\n`
}

/** A `fetch` that says which hosts it waits for. */
const reportingFetch = (progress: Progress): InstructionFetch => {
  const pending: Set<{ host: string }> = new Set()
  const say = () => {
    const hosts = [...new Set([...pending].map(({ host }) => host))]
    progress.say(hosts.length === 0 ? READING : `fetching from ${hosts.join(', ')}`)
  }
  return async (url, init) => {
    // Only the host: the rest of an address may be secret.
    const request = { host: new URL(url).host }
    pending.add(request)
    say()
    try {
      return await globalThis.fetch(url, init)
    } finally {
      pending.delete(request)
      say()
    }
  }
}

const READING = 'reading instruction files'

export const instructions: Command = {
  name: 'instructions',
  args: [{ name: '[DIR]', completes: 'directory' }],
  about: "List a project's instruction files and URLs, used or not, and why",
  options: {
    preset: {
      value: 'NAME',
      about: 'the tool whose rules apply',
      choices: native.instructionPresets(),
      fields: ['preset'],
    },
    untrusted: { about: 'the repository may be hostile: read nothing outside it, and fetch none of its URLs' },
  },

  async run({ args, values, switches, surroundings, progress }) {
    const { InstructionPrompt } =
      require('../../instructions/instruction-prompt.js') as typeof import('../../instructions/instruction-prompt.js')
    const [directory] = args
    if (directory !== undefined) checkDirectory(directory)
    progress.say(READING)
    const sources = await InstructionPrompt.load({
      directory,
      // Checked there.
      preset: values.preset as InstructionPreset | undefined,
      untrusted: switches.has('untrusted'),
      fetch: reportingFetch(progress),
    })
    return { value: sources, text: () => picture(sources, surroundings) }
  },
}
