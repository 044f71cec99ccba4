/** `promptmason explain`: what a prompt is made of, and what was left out and why. */
import { writeFileSync } from 'node:fs'
import { visible, visibleLine } from '../../explain/page/words.js'
import { messageOf } from '../../thrown.js'
import { type Command, UsageError } from '../command.js'
import { pictureOf } from '../picture.js'
import { AGENT_OPTIONS, choicesOf } from '../prompt-options.js'
import { LARGE_BYTES, readJson } from '../read-input.js'

const writePage = (file: string, page: string) => {
  try {
    writeFileSync(file, page)
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${messageOf(error)}`)
  }
}

export const explain: Command = {
  name: 'explain',
  args: [{ name: '[FILE|-]', completes: 'file' }],
  about: 'Show what a prompt is made of, and what was left out and why',
  details:
    'The input is JSON, from a file or stdin: a PromptInput (for buildPrompt), an AssemblerInput, or a snapshot of a ContextManager.',
  options: {
    ...AGENT_OPTIONS,
    prompt: { about: 'print only the prompt' },
    html: { value: 'FILE', about: 'write the page with the budget to scale', completes: 'file' },
    all: { about: 'print a line for each message, however many there are' },
  },

  async run(call) {
    const { values, switches, args, surroundings, progress } = call
    if (switches.has('prompt') && switches.has('json'))
      throw new UsageError('--prompt and --json cannot both be printed')
    const { stdout, stderr, env } = surroundings
    const choices = {
      ...choicesOf(values),
      warn: (text: string) => {
        progress.end()
        stderr.write(`${visibleLine(text)}\n`)
      },
    }
    const file = args[0] ?? '-'
    const value = await readJson(file, call)
    if ((surroundings.sizeOf(file) ?? 0) >= LARGE_BYTES) progress.sayAtOnce('assembling the prompt')
    const { assembleConversation } = require('../conversation.js') as typeof import('../conversation.js')
    const prompt = assembleConversation(value, choices)
    if (values.html !== undefined) {
      const { renderReport } = require('../../explain/render.js') as typeof import('../../explain/render.js')
      writePage(values.html, renderReport(prompt))
    }
    return {
      value: prompt.report,
      text() {
        // A pipe gets the exact prompt; a terminal must not act on it.
        if (switches.has('prompt')) return stdout.isTTY ? `${visible(String(prompt.prompt))}\n` : String(prompt.prompt)
        return `${pictureOf(prompt, stdout, env, { all: switches.has('all') }).join('\n')}\n`
      },
    }
  },
}
