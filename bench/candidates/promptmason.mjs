/** The package, in each of its forms. */
import { createRequire } from 'node:module'
import { statelessConversation } from './stateless.mjs'

const { CodexContextAssembler, ContextManager } = createRequire(import.meta.url)('../../index.js')

/** Everything in every call: `assemble`, `assembleToBuffer`, `assembleInto`. */
export const promptmason = {
  name: 'promptmason',
  forms: { string: 'assemble', bytes: 'assembleToBuffer', into: 'assembleInto' },
  start(fixed) {
    const assembler = new CodexContextAssembler()
    return statelessConversation(fixed, {
      string: (input) => assembler.assemble(input).prompt,
      bytes: (input) => assembler.assembleToBuffer(input).prompt,
      into: (input, buffer) => assembler.assembleInto(input, buffer).bytes,
    })
  },
}

const AGENT = 'openai-codex'

/** The conversation kept in the package: `ContextManager`. */
export const contextManager = {
  name: 'ContextManager',
  forms: { string: 'assembleForAgent', bytes: 'assembleForAgentToBuffer', into: 'assembleForAgentInto' },
  messageOf: ({ from, to, content }) => ({
    speaker: { id: from, name: from, type: 'human' },
    content,
    routing: { resolvedAddressees: [to] },
  }),
  start({ systemInstruction, teamTask, maxBytes }) {
    // Every message is in the window, so that the budget alone decides, as for the others.
    const manager = new ContextManager({ contextWindowSize: Number.MAX_SAFE_INTEGER, maxBytes })
    manager.setTeamTask(teamTask)
    const options = { systemInstruction }
    return {
      add: (message) => manager.addMessage(message),
      string: () => manager.assembleForAgent('max', AGENT, options).prompt,
      bytes: () => manager.assembleForAgentToBuffer('max', AGENT, options).prompt,
      into: (buffer) => manager.assembleForAgentInto('max', AGENT, options, buffer).bytes,
    }
  },
}
