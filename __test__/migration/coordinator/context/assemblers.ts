/** The coordinator's own assemblers: join, measure, drop the oldest message, repeat. */
import type { AgentType, AssemblerInput, AssemblerOptions, AssemblerOutput, IContextAssembler, PromptContextMessage } from './types.js'

interface Titles {
  system: string
  teamTask: string
  context: string
  message: string
}

const BRACKETS: Titles = { system: '[SYSTEM]', teamTask: '[TEAM_TASK]', context: '[CONTEXT]', message: '[MESSAGE]' }

abstract class TextAssembler implements IContextAssembler {
  constructor(readonly options: AssemblerOptions = {}) {}

  abstract getAgentType(): AgentType
  protected abstract readonly titles: Titles
  protected abstract line(message: PromptContextMessage): string

  assemble(input: AssemblerInput): AssemblerOutput {
    const titles = { ...this.titles, ...this.options.headings }
    const system = this.system(input)
    const placement = this.options.systemPlacement ?? (this.getAgentType() === 'claude-code' ? 'flag' : 'inline')
    const systemFlag = placement === 'inline' ? undefined : system || undefined
    const messages = [...input.contextMessages]
    for (;;) {
      const prompt = [
        this.section(titles.system, placement === 'flag' ? '' : system),
        this.section(titles.teamTask, input.teamTask?.trim() ?? ''),
        this.section(titles.context, messages.map((message) => this.line(message)).join('\n')),
        this.section(titles.message, input.currentMessage.trim()),
      ].filter(Boolean).join('\n\n')
      const bytes = Buffer.byteLength(prompt) + Buffer.byteLength(systemFlag ?? '')
      if (bytes <= input.maxBytes || messages.length === 0) return { prompt, systemFlag }
      messages.shift()
    }
  }

  private system({ systemInstruction, instructionFileText }: AssemblerInput): string {
    const lines = [systemInstruction ?? []].flat().map((line) => line.trim())
    return [lines.filter(Boolean).join('\n'), instructionFileText?.trim()].filter(Boolean).join('\n\n')
  }

  private section(title: string, text: string): string {
    return text && [title, text].filter(Boolean).join('\n')
  }
}

export class ClaudeContextAssembler extends TextAssembler {
  protected readonly titles: Titles = BRACKETS
  getAgentType(): AgentType {
    return 'claude-code'
  }
  protected line({ from, to, content }: PromptContextMessage): string {
    return `- ${from} -> ${to || 'all'}: ${content}`
  }
}

export class CodexContextAssembler extends ClaudeContextAssembler {
  override getAgentType(): AgentType {
    return 'openai-codex'
  }
}

export class GeminiContextAssembler extends TextAssembler {
  protected readonly titles: Titles = {
    system: 'Instructions:', teamTask: 'Team Task:', context: 'Conversation so far:', message: 'Last message:',
  }
  getAgentType(): AgentType {
    return 'google-gemini'
  }
  protected line({ from, content }: PromptContextMessage): string {
    return `- ${from}: ${content}`
  }
}

export class PlainTextAssembler extends TextAssembler {
  protected readonly titles: Titles = { system: '', teamTask: '', context: '', message: '' }
  getAgentType(): AgentType {
    return 'unknown'
  }
  protected line({ from, content }: PromptContextMessage): string {
    return `${from}: ${content}`
  }
}
