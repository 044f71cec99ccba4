'use strict'
/** `promptmason explain`: what a prompt is made of, and what was left out and why. */
const { writeFileSync } = require('node:fs')
const { visible, visibleLine } = require('../../explain/page/visible.js')
const { UsageError } = require('../command.js')
const { AGENT_OPTIONS, choicesOf } = require('../prompt-options.js')
const { LARGE_BYTES, readJson } = require('../read-input.js')

/** @param {string} file @param {string} page */
const writePage = (file, page) => {
  try {
    writeFileSync(file, page)
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${/** @type {Error} */ (error).message}`)
  }
}

/** @type {import('../command.js').Command} */
const explain = {
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
    const { values, args, surroundings, progress } = call
    if (values.prompt && values.json) throw new UsageError('--prompt and --json cannot both be printed')
    const { stdout, stderr, env } = surroundings
    const choices = {
      ...choicesOf(values),
      warn: (/** @type {string} */ text) => {
        progress.end()
        stderr.write(`${visibleLine(text)}\n`)
      },
    }
    const file = args[0] ?? '-'
    const value = await readJson(file, call)
    if ((surroundings.sizeOf(file) ?? 0) >= LARGE_BYTES) progress.sayAtOnce('assembling the prompt')
    const { assembleConversation } = require('../conversation.js')
    const prompt = assembleConversation(value, choices)
    if (values.html !== undefined) writePage(values.html, require('../../explain/render.js').renderReport(prompt))
    return {
      value: prompt.report,
      text() {
        // A pipe gets the exact prompt; a terminal must not act on it.
        if (values.prompt) return stdout.isTTY ? `${visible(String(prompt.prompt))}\n` : String(prompt.prompt)
        const { picture } = require('../../explain/picture.js')
        const { hasColors, painter } = require('../../explain/terminal.js')
        const { describeTurn } = require('../../explain/turn.js')
        const style = { columns: stdout.columns, paint: painter(hasColors(stdout, env)), all: values.all }
        return `${picture(describeTurn(prompt), style).join('\n')}\n`
      },
    }
  },
}

module.exports = { explain }
