/**
 * @vscode/prompt-tsx, counting bytes: one user message per message, with its position as the
 * priority. Each line is counted with its line break, so the budget has one more byte for the last.
 */
import promptTsx from '@vscode/prompt-tsx'
import { frame, messageLine, skip } from './peer.mjs'

const { OutputMode, PromptElement, PromptRenderer, UserMessage } = promptTsx
const { vscpp, vscppf } = globalThis

const LINE_BREAK_BYTES = 1

const textOf = ({ content }) => content.map(({ text }) => text ?? '').join('')

const byteCounter = {
  mode: OutputMode.Raw,
  tokenLength: ({ text }) => Buffer.byteLength(text),
  countMessageTokens: (message) => Buffer.byteLength(textOf(message)) + LINE_BREAK_BYTES,
}

class Conversation extends PromptElement {
  render() {
    const children = this.props.lines.map((line, age) => vscpp(UserMessage, { priority: age }, line))
    return vscpp(vscppf, null, children)
  }
}

export const promptTsxPriorities = {
  name: 'prompt-tsx',
  skip,
  start(fixed) {
    const lines = []
    let current
    const prompt = async () => {
      const { before, after, room } = frame({ ...fixed, currentMessage: current.content })
      const endpoint = { modelMaxPromptTokens: room + LINE_BREAK_BYTES }
      const renderer = new PromptRenderer(endpoint, Conversation, { lines }, byteCounter)
      const { messages } = await renderer.render()
      return [before, messages.map(textOf).join('\n'), after].join('')
    }
    return {
      add(message) {
        if (current) lines.push(messageLine(current))
        current = message
      },
      bytes: async () => Buffer.from(await prompt()),
    }
  },
}
