/** Passes a conversation around between members, each with a CLI of its own. */
import { ContextManager } from './context/ContextManager.js'
import type { AssemblerOutput, ConversationMessage } from './context/types.js'

export interface Member {
  id: string
  name: string
  agentType: string
  instruction: string
}

/** Starts a member's CLI and resolves with its answer. */
export type Send = (member: Member, output: AssemblerOutput) => Promise<string>

export class ConversationCoordinator {
  readonly context = new ContextManager({
    contextWindowSize: 3,
    maxBytes: 64 * 1024,
    assemblers: { 'claude-code': { systemPlacement: 'both' }, 'openai-codex': { headings: { message: '[YOUR TURN]' } } },
  })

  constructor(readonly members: Member[], readonly send: Send) {}

  /** A human speaks. The member named in `[NEXT:…]` answers, then the one that it names. */
  async say(content: string): Promise<void> {
    let message = this.context.addMessage({
      timestamp: new Date(),
      speaker: { id: 'human', name: 'Human', type: 'human' },
      content,
      routing: { resolvedAddressees: [] },
    })
    resolve(message)
    for (let next = this.next(message); next; next = this.next(message)) {
      // oxlint-disable-next-line no-await-in-loop -- each answers what the one before has said
      message = await this.answer(next)
    }
  }

  private next({ content }: ConversationMessage): Member | undefined {
    return this.members.find(({ id }) => addressees(content)[0] === id)
  }

  private async answer(member: Member): Promise<ConversationMessage> {
    const input = this.context.getContextForAgent(member.id, member.agentType, { systemInstruction: member.instruction })
    const content = await this.send(member, this.context.assemblePrompt(member.agentType, input))
    const message = this.context.addMessage({
      timestamp: new Date(),
      speaker: { id: member.id, name: member.name, type: 'ai' },
      content,
      routing: { resolvedAddressees: [] },
    })
    resolve(message)
    return message
  }
}

/** A message is stored, and saved, before it is known whom it is for. */
const resolve = ({ routing, content }: ConversationMessage): void => {
  if (routing) routing.resolvedAddressees = addressees(content)
}

const addressees = (content: string): string[] => {
  const names = /\[NEXT:([^\]]*)\]/.exec(content)?.[1] ?? ''
  return names.split(',').map((name) => name.trim()).filter(Boolean)
}
