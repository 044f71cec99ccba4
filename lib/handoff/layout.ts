/**
 * How a handoff reads, for every agent: what it is, the first task, the summary, what was done, the newest
 * messages, and what to do now.
 */
import type { LayoutDefinition } from '../prompts/layout.js'

export const handoffLayout = (agentType: string): LayoutDefinition => ({
  agentType,
  sections: [
    { part: 'teamTask', title: '[HANDOFF]' },
    { part: 'parent', title: '[FIRST_TASK]' },
    { part: 'summary', title: '[SUMMARY]' },
    { part: 'siblings', title: '[DONE_SO_FAR]', note: '(from the tool calls of the session)' },
    { part: 'context', title: '[CONVERSATION]', note: '(the newest messages, oldest first)' },
    { part: 'message', title: '[MESSAGE]' },
  ],
  messageLine: { open: '- ', arrow: ' -> ' },
})
