/** Inputs for pages that have everything in them. */
import type { AssemblerInput, PromptInput } from 'promptmason'
import { chatter } from './conversations.js'

const parts = {
  teamTask: 'Design the login',
  summary: 'Before. '.repeat(300),
  instructionFileText: '注意安全。'.repeat(400),
}

export const materials: AssemblerInput[] = [
  { contextMessages: [], currentMessage: 'Go on.', teamTask: null, maxBytes: 1000 },
  {
    ...parts,
    contextMessages: chatter(250),
    currentMessage: '请审查。'.repeat(500),
    systemInstruction: ['You are', 'Sarah.'],
    maxBytes: 20_000,
    pinned: [0, 9, 10],
    gapsBefore: [9],
    parentContext: { from: 'p', content: 'Where? '.repeat(300) },
    siblingContext: chatter(5),
    routeMeta: { intent: 'review' },
  },
]

export const promptMaterials: PromptInput[] = [
  { agentType: 'nobody knows', contextMessages: [], message: 'Go on.' },
  {
    ...parts,
    agentType: 'claude',
    contextMessages: chatter(60),
    message: 'Go on.',
    systemInstructionText: 'You are Sarah.',
    roleSummary: 'backend engineer',
    maxContextMessages: 20,
    recipient: 'sarah',
    pinned: [1, 14, 55],
    maxBytes: 9000,
    options: { systemPlacement: 'both', evictionStep: 4 },
  },
]
