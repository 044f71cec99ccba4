/** The assemblers, their input and options. */
import type { AgentType, PromptPart } from './agents.js'
import { ContextAssembler } from './context-assembler.js'
import type { AssemblerOutput } from './forms.js'
import type { LayoutDefinition } from './layouts.js'
import type { PromptMaterials } from './materials.js'
import type { PromptContextMessage } from './messages.js'
import type { Tokenizer } from './tokens.js'

/**
 * The materials of a prompt. The field is called `systemInstruction` here and
 * `systemInstructionText` in `buildPrompt`; passing the other one is an error.
 */
export interface AssemblerInput extends PromptMaterials {
  /**
   * The conversation so far, oldest first. It is read from the newest message on, and only
   * as far as the budget reaches: messages beyond that are neither read nor validated.
   */
  contextMessages: readonly PromptContextMessage[]
  /** The message to act on. */
  currentMessage: string
  /** What the team works on. */
  teamTask: string | null | undefined
  /**
   * The member's instructions. The elements of an array become a line each.
   * @default undefined
   */
  systemInstruction?: string | readonly string[] | null | undefined
  /** The most UTF-8 bytes that `prompt` and `systemFlag` may have together. */
  maxBytes: number
  /**
   * The most tokens that `prompt` and `systemFlag` may have together, counted by the `tokenizer` of
   * the assembler's options. Both budgets hold. A limit without a tokenizer is an error, except for
   * Codex, which has `'o200k'`.
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
   * How many messages of `contextMessages`, from the first on, `summary` stands for. They are not
   * shown, unless they are pinned.
   * @default 0
   */
  summaryCovers?: number | null | undefined
  /**
   * Indices of `contextMessages` before which messages are missing that are not in the list. If
   * something is pinned, a line says so there. `getContextForAgent` knows them.
   * @default undefined
   */
  gapsBefore?: readonly number[] | null | undefined
  /**
   * Overrides the option `showSender` of the assembler.
   * @default that of the assembler
   */
  showSender?: boolean | null | undefined
  /**
   * Identifiers of the route.
   * @default undefined
   */
  routeMeta?: { parentMessageId?: string | null | undefined; intent?: string | null | undefined } | null | undefined
}

/** How an assembler lays out and trims. */
export interface AssemblerOptions {
  /**
   * Where the system text goes: beside the prompt as `systemFlag`, into the prompt, or both
   * (both copies count against the budget). Only Claude and custom layouts with
   * `systemPlacement: 'flag'` have a flag; the others accept `'inline'` alone.
   * @default that of the layout: 'flag' for Claude, 'inline' for the others
   */
  systemPlacement?: 'flag' | 'inline' | 'both' | null | undefined
  /**
   * Titles, by part, that replace those of the layout. One line each; an empty string
   * removes the title.
   * @default {}
   */
  headings?: { readonly [Part in PromptPart]?: string | null | undefined } | null | undefined
  /**
   * The number of dropped context messages is rounded up to a multiple of this. With 16, a
   * growing conversation keeps the same beginning for 16 turns, which providers' prompt
   * caches reward; with 1, it changes on every turn. Pass the whole history each time.
   * @default 1
   */
  evictionStep?: number | null | undefined
  /**
   * What happens to lines inside messages that read as a title or as another message:
   * `'verbatim'` keeps them, `'escape'` puts a backslash before them. The report lists
   * them either way. `'fence'` keeps them and makes them harmless: every message, summary and
   * section end of the prompt has a line with a key (`fenceKey`) that its writers cannot know, and
   * everything else is text.
   *
   * Lines count as the same if a model would read them as the same, whatever their letter
   * case, white space, invisible characters, terminal escape sequences, accents, full-width,
   * circled and mathematical letters, and look-alike brackets, dashes, arrows and colons.
   * Letters of other scripts that look alike do not count as the same. In layouts without an arrow, what
   * stands before a colon counts as a name if it has no more than 64 characters, or if no
   * sentence ends in it.
   *
   * The backslash goes before the first character of the line that is neither white space nor
   * invisible, or before its first escape sequence. A line that has backslashes there already
   * gets one more, so taking one away restores the text.
   *
   * In a fenced prompt, a key in a text that you pass is broken up by a hyphen before its last
   * character, also in other letter case, with invisible characters between, or in full-width,
   * circled or mathematical characters. The report lists it. So the key stands in the lines of the
   * layout only. Fenced prompts show the sender of the message to act on: see `showSender`.
   *
   * Names of senders and addressees, intents and parent ids stand on one line, whatever is
   * chosen here: a line break in them becomes a space, and the report lists it.
   * @default 'verbatim'
   */
  markers?: 'verbatim' | 'escape' | 'fence' | null | undefined
  /**
   * Whether the message to act on says from whom and to whom it is, in a line below its title: the
   * `senderLine` of the layout, such as `(from max to sarah)`. The line counts against the budget.
   * Assemblers and `buildPrompt` take the names from `messageFrom` and `messageTo` of the input. A
   * `ContextManager` takes them from the message itself. With `markers: 'fence'`, it is always so.
   * @default false
   */
  showSender?: boolean | null | undefined
  /**
   * The assemblers do not shorten the current message below this many bytes, or below its own
   * size if that is less. `buildPrompt` never shortens it.
   * @default 256
   */
  messageMinBytes?: number | null | undefined
  /**
   * Before messages are dropped for lack of room, tool results are shortened, oldest first, but not
   * below this many bytes, or below their own size if that is less.
   * @default 256
   */
  toolOutputMinBytes?: number | null | undefined
  /**
   * What becomes of the reasoning in messages with parts: it is left out, or shown. A `ContextManager`
   * has an option of its own for its messages.
   * @default 'omit'
   */
  reasoning?: 'omit' | 'keep' | null | undefined
  /**
   * What counts tokens, for `maxTokens` and for reports.
   * @default 'o200k' for Codex, else undefined
   */
  tokenizer?: Tokenizer | null | undefined
}

/** What every assembler can do. */
export interface IContextAssembler {
  /** The agent that the prompts are for. */
  getAgentType(): AgentType
  /** The prompt as a string. */
  assemble(input: AssemblerInput): AssemblerOutput
}

/** For Claude Code: bracketed titles; the system text is not in the prompt but in `systemFlag`, for `--append-system-prompt`. */
export declare class ClaudeContextAssembler extends ContextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For Codex: bracketed titles, the system text first. */
export declare class CodexContextAssembler extends ContextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For Gemini: titles in plain words, the system text first. */
export declare class GeminiContextAssembler extends ContextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For any other agent: the texts alone, without titles. */
export declare class PlainTextAssembler extends ContextAssembler {
  /** An assembler with the given options. */
  constructor(options?: AssemblerOptions | null)
}

/** For an agent with a custom layout, or with any layout of this package. */
export declare class LayoutAssembler extends ContextAssembler {
  /**
   * An assembler for a layout. The layout is checked and copied: later changes of the object have
   * no effect.
   */
  constructor(layout: LayoutDefinition, options?: AssemblerOptions | null)
  /**
   * An assembler for an agent type of this package, by its name or an alias, in any letter case:
   * `unknown` is plain text, and a type that is not known is an error.
   */
  static for(agentType: AgentType, options?: AssemblerOptions | null): LayoutAssembler
}
