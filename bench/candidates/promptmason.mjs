/** The package, in each of its forms. */
import { createRequire } from 'node:module'
import { statelessConversation } from './stateless.mjs'

const { CodexContextAssembler, ContextManager } = createRequire(import.meta.url)('../../index.js')

/** Stateless: `assemble` in its forms. */
export const promptmason = {
  name: 'promptmason',
  forms: { string: 'assemble', bytes: 'assemble, as a buffer', into: 'assemble, into a buffer' },
  start(fixed) {
    const assembler = new CodexContextAssembler()
    return statelessConversation(fixed, {
      string: (input) => assembler.assemble(input).prompt,
      bytes: (input) => assembler.assemble(input, { as: 'buffer' }).prompt,
      into: (input, buffer) => assembler.assemble(input, { into: buffer }).bytes,
    })
  },
}

const AGENT = 'openai-codex'

/** Stateful: `ContextManager` keeps the conversation. */
export const contextManager = {
  name: 'ContextManager',
  forms: {
    string: 'assembleForAgent',
    bytes: 'assembleForAgent, as a buffer',
    into: 'assembleForAgent, into a buffer',
  },
  messageOf: ({ from, to, content }) => ({
    speaker: { id: from, name: from, type: 'human' },
    content,
    routing: { resolvedAddressees: [to] },
  }),
  start({ systemInstruction, teamTask, maxBytes }) {
    // The window holds every message, so that only the budget decides, as for the others.
    const manager = new ContextManager({ contextWindowSize: Number.MAX_SAFE_INTEGER, maxBytes })
    manager.setTeamTask(teamTask)
    const options = { systemInstruction }
    return {
      add: (message) => manager.addMessage(message),
      string: () => manager.assembleForAgent('max', AGENT, options).prompt,
      bytes: () => manager.assembleForAgent('max', AGENT, options, { as: 'buffer' }).prompt,
      into: (buffer) => manager.assembleForAgent('max', AGENT, options, { into: buffer }).bytes,
    }
  },
}
