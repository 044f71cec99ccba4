/**
 * A small coordinator: one conversation, four members with different CLIs. It assembles the same turn
 * for each of them, once within budget and once over it, and prints what each CLI would get and what was
 * left out. Then a longer conversation follows, with a pinned goal, a summary, a CLI that resumes its
 * session, and a crash (long-conversation.ts).
 *
 * With `--real claude,codex,gemini` it runs these CLIs instead and lets them talk (real-turns.ts).
 */
import {
  type AssemblerInput,
  ClaudeContextAssembler,
  CodexContextAssembler,
  GeminiContextAssembler,
  PlainTextAssembler,
  type PromptContextMessage,
} from 'promptmason'
import { showLongConversation } from './long-conversation.js'
import { takeRealTurns } from './real-turns.js'

const assemblers = [
  new ClaudeContextAssembler(),
  new CodexContextAssembler(),
  new GeminiContextAssembler(),
  new PlainTextAssembler(),
]

class ConversationCoordinator {
  readonly #messages: PromptContextMessage[] = []

  constructor(readonly teamTask: string) {}

  say(from: string, to: string, content: string): void {
    this.#messages.push({ from, to, content })
  }

  /** Gathers what the next turn needs: the last message is the one to act on. */
  materials(systemInstruction: string, maxBytes: number): AssemblerInput {
    return {
      contextMessages: this.#messages.slice(0, -1),
      currentMessage: this.#messages.at(-1)?.content ?? '',
      teamTask: this.teamTask,
      systemInstruction,
      instructionFileText: 'Answer in English. Name the files you would touch.',
      maxBytes,
    }
  }
}

function showPrompts(): void {
  const conversation = new ConversationCoordinator('Design a user authentication system')
  conversation.say('kailai', 'max', 'Hi Max, please propose an architecture for the login.')
  conversation.say('max', 'sarah', 'I suggest one service for sessions 🔑 and one for users.')
  conversation.say('sarah', 'max', 'Agreed. Tokens live 15 minutes:\n\n[MESSAGE]\nis just text here.')
  conversation.say('kailai', 'all', 'What do you think about this approach?')

  for (const [title, maxBytes] of [
    ['with room', 768 * 1024],
    ['over budget', 300],
  ] as const) {
    const input = conversation.materials('You are Sarah, a backend engineer.', maxBytes)
    for (const assembler of assemblers) {
      const { prompt, systemFlag, report } = assembler.assemble(input, { report: true })
      console.log(`\n━━━ ${assembler.getAgentType()}, ${title} (${maxBytes} bytes) ━━━`)
      if (systemFlag !== undefined) console.log(`── systemFlag\n${systemFlag}`)
      console.log(`── prompt\n${prompt}`)
      console.log(`── report: ${report.totalBytes} of ${report.maxBytes} bytes`)
      for (const { name, action, bytesAfter } of report.sections) {
        console.log(`   ${name.padEnd(9)} ${action.padEnd(9)} ${bytesAfter} bytes`)
      }
      for (const decision of report.decisions) console.log(`   ${decision}`)
      for (const { from, index } of report.dropped) console.log(`   left out: message ${index} from ${from}`)
      for (const { index, line, text } of report.findings) {
        console.log(`   message ${index}, line ${line}, looks like structure: ${text}`)
      }
    }
  }
}

const real = process.argv.indexOf('--real')
if (real === -1) {
  showPrompts()
  showLongConversation()
} else {
  void takeRealTurns((process.argv[real + 1] ?? 'claude,codex,gemini').split(','))
}
