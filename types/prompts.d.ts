/** `buildPrompt`. */
import type { AgentType } from './agents.js'
import type { AssemblerOptions } from './assemblers.js'
import type {
  AnyAssemblerOutput,
  AssemblerBufferOutput,
  AssemblerBufferReportOutput,
  AssemblerIntoOutput,
  AssemblerIntoReportOutput,
  AssemblerOutput,
  AssemblerReportOutput,
  BufferForm,
  IntoForm,
  ModelApi,
  ModelRequests,
  PromptForm,
  RequestForm,
  StringForm,
} from './forms.js'
import type { LayoutDefinition } from './layouts.js'
import type { PromptMaterials } from './materials.js'
import type { AssemblerReport } from './reports.js'
import type { Tokenizer } from './tokens.js'

/**
 * What `buildPrompt` makes a prompt of. The field is called `systemInstructionText` here and
 * `systemInstruction` in assemblers and managers; passing the other one is an error.
 */
export interface PromptInput extends PromptMaterials {
  /**
   * Whose layout to use: `claude-code`, `openai-codex`, `google-gemini`, `opencode`, `qwen-code`,
   * `github-copilot`, `pi`, `grok`, `kimi-code`, `kilo-code`, or short `claude`, `codex`, `gemini`,
   * `qwen`, `copilot`, `kimi`, `kilo`, in any letter case.
   * Any other agent gets plain text.
   */
  agentType: AgentType
  /**
   * Only in `LayoutPromptInput`.
   * @default undefined
   */
  layout?: null | undefined
  /**
   * The configured instruction. It is never cut. The elements of an array become a line each.
   * @default undefined
   */
  systemInstructionText?: string | readonly string[] | null | undefined
  /**
   * The text of the instruction file; it follows `systemInstructionText`, and is shortened
   * when it has to be.
   * @default undefined
   */
  instructionFileText?: string | null | undefined
  /** The message to act on. It is never cut. */
  message: string
  /**
   * What was said before `contextMessages`, such as a model's summary of older messages. It stands
   * before them. When there is no room, it is shortened after the context is gone, to no less than
   * 1 KiB, and then dropped. `recipient` does not change it: give what that member may see.
   * @default undefined
   */
  summary?: string | null | undefined
  /**
   * The most UTF-8 bytes that `prompt` and `systemFlag` may have together.
   * @default 786432 (768 KiB)
   */
  maxBytes?: number | null | undefined
  /**
   * What counts tokens. It comes before `options.tokenizer`.
   * @default 'o200k' for Codex, else undefined
   */
  tokenizer?: Tokenizer | null | undefined
  /**
   * How many messages of the conversation go along, the newest ones (of those that
   * `recipient` may see). 0 for none.
   * @default 5
   */
  maxContextMessages?: number | null | undefined
  /**
   * Keeps only what this member may see: messages sent to all, to the member (also in a
   * list, `max, sarah`; `，` and `、` separate too), or by the member. Letter case and surrounding
   * space do not matter. A name that has a comma in it is matched whole first: if it is the
   * recipient's or that of a sender among the messages that are looked at, it is no list.
   * @default undefined (everything)
   */
  recipient?: string | null | undefined
  /**
   * The member's role in a few words, at most 512 bytes: the first line of the system text.
   * @default undefined
   */
  roleSummary?: string | null | undefined
  /**
   * The most bytes that the system text may have. The instruction file is shortened for it, but not
   * below 2 KiB; if that is not enough, it is an error. The default is a preference: the system text
   * gets more than half where the instruction and 2 KiB of the file need more.
   * @default half of maxBytes, and half of maxTokens
   */
  systemMaxBytes?: number | null | undefined
  /**
   * Indices into `contextMessages` of messages that are kept before any other, in their places, also
   * outside of `maxContextMessages`; not if `recipient` may not see them.
   * @default undefined
   */
  pinned?: readonly number[] | null | undefined
  /**
   * How to lay out and trim.
   * @default {}
   */
  options?: AssemblerOptions | null | undefined
}

/**
 * The same with a custom layout instead of an agent type. It is read and checked in each call;
 * for many prompts, a `LayoutAssembler` or a `ContextManager` reads it once.
 */
export interface LayoutPromptInput extends Omit<PromptInput, 'agentType' | 'layout'> {
  /** How to lay the prompt out. */
  layout: LayoutDefinition
  /**
   * Not needed. If set, it has to be a name of the layout.
   * @default undefined
   */
  agentType?: AgentType | null | undefined
}

/** What to hand to the agent's CLI. */
export type PromptOutput = AssemblerOutput

/** What a request to a model's API is made of: the same, and the agent type does not matter. */
export type RequestInput = Omit<PromptInput, 'agentType'> & { agentType?: AgentType | null | undefined }

/** `buildPrompt` as a request to a model's API, with a report. */
export declare function buildPrompt<Api extends ModelApi>(
  input: RequestInput | LayoutPromptInput,
  form: RequestForm<Api> & { report: true },
): ModelRequests[Api] & { report: AssemblerReport }
/** `buildPrompt` as a request to a model's API. What `recipient` said is the assistant's. */
export declare function buildPrompt<Api extends ModelApi>(
  input: RequestInput | LayoutPromptInput,
  form: RequestForm<Api, false>,
): ModelRequests[Api]
/** `buildPrompt` as a new Buffer, with a report. */
export declare function buildPrompt(
  input: PromptInput | LayoutPromptInput,
  form: BufferForm & { report: true },
): AssemblerBufferReportOutput
/** `buildPrompt` as a new Buffer. */
export declare function buildPrompt(
  input: PromptInput | LayoutPromptInput,
  form: BufferForm<false>,
): AssemblerBufferOutput
/** `buildPrompt` written into your buffer, with a report. */
export declare function buildPrompt(
  input: PromptInput | LayoutPromptInput,
  form: IntoForm & { report: true },
): AssemblerIntoReportOutput
/** `buildPrompt` written into your buffer. */
export declare function buildPrompt(input: PromptInput | LayoutPromptInput, form: IntoForm<false>): AssemblerIntoOutput
/** `buildPrompt` as a string, with a report. */
export declare function buildPrompt(
  input: PromptInput | LayoutPromptInput,
  form: StringForm & { report: true },
): AssemblerReportOutput
/** `buildPrompt` as a string. */
export declare function buildPrompt(input: PromptInput | LayoutPromptInput, form: StringForm<false>): AssemblerOutput
/** `buildPrompt` in a form that is only known at run time. */
export declare function buildPrompt(
  input: PromptInput | LayoutPromptInput,
  form: PromptForm | null | undefined,
): AnyAssemblerOutput
/**
 * From everything a coordinator has to the prompt of one member: picks the layout by
 * `agentType`, keeps what `recipient` may see, and stays inside the budget without ever
 * cutting the message.
 */
export declare function buildPrompt(input: PromptInput | LayoutPromptInput, form?: null): AssemblerOutput
