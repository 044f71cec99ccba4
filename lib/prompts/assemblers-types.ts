/** The assemblers, their input and options. */
import type { AgentType, PromptPart } from './agents.js'
import { ContextAssembler } from './context-assembler-types.js'
import type { AssemblerOutput } from './forms-types.js'
import type { LayoutDefinition } from './layouts-types.js'
import type { PromptMaterials } from './materials.js'
import type { PromptContextMessage } from '../messages/messages.js'
import type { Tokenizer } from '../tokens/types.js'

/**
 * The input of an assembler. The field is called `systemInstruction` here and `systemInstructionText` in
 * `buildPrompt`; passing the other one is an error.
 */
export interface AssemblerInput extends PromptMaterials {
  /**
   * The conversation so far, oldest first. It is read from the newest message back, and only as far as
   * the budget reaches. Messages beyond that are neither read nor validated.
   */
  contextMessages: readonly PromptContextMessage[]
  /** The message to act on. */
  currentMessage: string
  /** What the team works on. */
  teamTask: string | null | undefined
  /**
   * The member's instructions. Each element of an array becomes a line.
   * @default undefined
   */
  systemInstruction?: string | readonly string[] | null | undefined
  /** The maximum UTF-8 bytes of `prompt` and `systemFlag` together. */
  maxBytes: number
  /**
   * The maximum tokens of `prompt` and `systemFlag` together, counted by the assembler's `tokenizer`.
   * Both budgets apply. A limit without a tokenizer is an error, except for Codex, which uses `'o200k'`.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /**
   * The message that is being answered, if it is not in `contextMessages`.
   * @default undefined
   */
  parentContext?: PromptContextMessage | null | undefined
  /**
   * Other replies to the same message, newest first.
   * @default undefined
   */
  siblingContext?: readonly PromptContextMessage[] | null | undefined
  /**
   * How many messages of `contextMessages`, from the first, `summary` covers. They are not shown unless
   * they are pinned.
   * @default 0
   */
  summaryCovers?: number | null | undefined
  /**
   * Indices into `contextMessages` before which messages are missing. If something is pinned, a line
   * there says so. `getContextForAgent` returns them.
   * @default undefined
   */
  gapsBefore?: readonly number[] | null | undefined
  /**
   * Overrides the assembler's option `showSender`.
   * @default that of the assembler
   */
  showSender?: boolean | null | undefined
  /**
   * Identifiers of the route.
   * @default undefined
   */
  routeMeta?: { parentMessageId?: string | null | undefined; intent?: string | null | undefined } | null | undefined
}

/** Options of an assembler. */
export interface AssemblerOptions {
  /**
   * Where the system text goes: next to the prompt as `systemFlag`, into the prompt, or both (both
   * copies count against the budget). Only Claude and custom layouts with `systemPlacement: 'flag'` have
   * a flag; the others accept only `'inline'`.
   * @default that of the layout: 'flag' for Claude, 'inline' for the others
   */
  systemPlacement?: 'flag' | 'inline' | 'both' | null | undefined
  /**
   * Titles by part, which replace those of the layout. A title is a single line; an empty string removes
   * it.
   * @default {}
   */
  headings?: { readonly [Part in PromptPart]?: string | null | undefined } | null | undefined
  /**
   * The number of dropped context messages is rounded up to a multiple of this. With 16, the prompts of
   * a growing conversation keep the same beginning for 16 turns, so providers' prompt caches hit. With
   * 1, the beginning changes every turn. Pass the whole history each time.
   * @default 1
   */
  evictionStep?: number | null | undefined
  /**
   * What to do with lines in messages that look like a title or another message. `'verbatim'` keeps
   * them, `'escape'` puts a backslash before them. The report lists them either way. `'fence'` keeps
   * them and makes them harmless: every message, summary and section end of the prompt has a line with a
   * key (`fenceKey`) that the authors of messages cannot know, and everything else is text.
   *
   * Lines are considered the same if a model would read them as the same, regardless of letter case,
   * white space, invisible characters, terminal escape sequences, accents, full-width, circled and
   * mathematical letters, and look-alike brackets, dashes, arrows and colons. Look-alike letters from
   * other scripts are considered different. In layouts without an arrow, the text before a colon counts
   * as a name if it has at most 64 characters, or if no sentence ends in it.
   *
   * The backslash goes before the first character of the line that is neither white space nor invisible,
   * or before its first escape sequence. A line that already has backslashes there gets one more, so
   * removing one restores the text.
   *
   * In a fenced prompt, if a text you pass contains the key, a hyphen is inserted before the key's last
   * character. This also applies to other letter case, invisible characters in between, and full-width,
   * circled or mathematical characters. The report lists it. The key therefore appears only in the
   * layout's own lines. Fenced prompts show the sender of the message to act on: see `showSender`.
   *
   * Names of senders and addressees, intents and parent ids always stay on one line: a line break in
   * them becomes a space, and the report lists it.
   * @default 'verbatim'
   */
  markers?: 'verbatim' | 'escape' | 'fence' | null | undefined
  /**
   * Whether the message to act on shows its sender and addressees, in a line below its title: the
   * layout's `senderLine`, such as `(from max to sarah)`. The line counts against the budget. Assemblers
   * and `buildPrompt` take the names from the input's `messageFrom` and `messageTo`; a `ContextManager`
   * takes them from the message. Always on with `markers: 'fence'`.
   * @default false
   */
  showSender?: boolean | null | undefined
  /**
   * Assemblers do not shorten the current message below this many bytes, or below its own size if that
   * is smaller. `buildPrompt` never shortens it.
   * @default 256
   */
  messageMinBytes?: number | null | undefined
  /**
   * Tool results are shortened before messages are dropped, oldest first, but not below this many bytes,
   * or below their own size if that is smaller.
   * @default 256
   */
  toolOutputMinBytes?: number | null | undefined
  /**
   * Whether the reasoning in messages with parts is left out or shown. A `ContextManager` has its own
   * option for its messages.
   * @default 'omit'
   */
  reasoning?: 'omit' | 'keep' | null | undefined
  /**
   * What counts tokens for `maxTokens` and for reports.
   * @default 'o200k' for Codex, else undefined
   */
  tokenizer?: Tokenizer | null | undefined
}

/** What every assembler implements. */
export interface IContextAssembler {
  /** The agent that the prompts are for. */
  getAgentType(): AgentType
  /** Assembles the prompt as a string. */
  assemble(input: AssemblerInput): AssemblerOutput
}

/**
 * For Claude Code: bracketed titles. The system text is not in the prompt but in `systemFlag`, for
 * `--append-system-prompt`.
 */
export declare class ClaudeContextAssembler extends ContextAssembler {
  /** Creates an assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For Codex: bracketed titles, the system text first. */
export declare class CodexContextAssembler extends ContextAssembler {
  /** Creates an assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For Gemini: titles in plain words, the system text first. */
export declare class GeminiContextAssembler extends ContextAssembler {
  /** Creates an assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For any other agent: only the texts, without titles. */
export declare class PlainTextAssembler extends ContextAssembler {
  /** Creates an assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For an agent with a custom or built-in layout. */
export declare class LayoutAssembler extends ContextAssembler {
  /**
   * Creates an assembler for a layout. The layout is validated and copied: later changes to the object
   * have no effect.
   */
  constructor(layout: LayoutDefinition, options?: AssemblerOptions | null)
  /**
   * Creates an assembler for a built-in agent type, by name or alias, in any letter case. `unknown` is
   * plain text; any other unknown type is an error.
   */
  static for(agentType: AgentType, options?: AssemblerOptions | null): LayoutAssembler
}
