/** System prompts, their segments and hints. */
import type { InstructionOptions, LoadedInstruction } from '../instructions/types.js'

/** How the base prompt of a model is chosen. */
export interface ProviderOptions {
  /**
   * Custom families, tried before the built-in ones, in the given order. A key is a part of the model's
   * name, in any letter case; the value is the text or texts for such models. With a leading `^`, the
   * part must be at the start of the name or after a separator: `^o5` matches `openai/o5-mini` but not
   * `turbo5`.
   * @default {}
   */
  families?: Record<string, string | readonly string[]> | null | undefined
}

/** Options of the environment block. */
export interface EnvironmentOptions {
  /**
   * The agent's working directory.
   * @default process.cwd()
   */
  directory?: string | null | undefined
  /**
   * The date, written in the local time zone.
   * @default new Date()
   */
  now?: Date | null | undefined
  /**
   * Additional lines, in order; an object's entries become `name: value`.
   * @default []
   */
  extra?: readonly string[] | Record<string, string> | null | undefined
}

/** The part of an agent that concerns its system prompt. Other keys are ignored. */
export interface SystemPromptAgent {
  /**
   * Replaces the base prompt of the model's family.
   * @default undefined
   */
  prompt?: string | null | undefined
}

/** The input of `SystemPrompt.build`. */
export interface SystemPromptInput<Agent extends object = SystemPromptAgent>
  extends InstructionOptions,
    EnvironmentOptions,
    ProviderOptions {
  /**
   * The agent's working directory.
   * @default process.cwd()
   */
  directory?: string | null | undefined
  /** The agent, which is also passed to `transform`. */
  agent: Agent & SystemPromptAgent
  /**
   * The model. Without one, an agent without a prompt gets the general base prompt.
   * @default undefined
   */
  modelID?: string | null | undefined
  /**
   * Changes the parts before they are returned. It returns a new array, or a promise of one; if it
   * returns nothing, the array it was given is used, including its changes. Its exceptions reach the
   * caller.
   * @default undefined
   */
  transform?: SystemPromptTransform<Agent> | null | undefined
}

/** A system prompt and the sources of its instructions. */
export interface SystemPromptReport {
  /** The parts that `build` returns. */
  parts: string[]
  /** What `InstructionPrompt.load` returns. */
  sources: LoadedInstruction[]
}

/** Changes the parts of a system prompt. */
export type SystemPromptTransform<Agent extends object = SystemPromptAgent> = (
  parts: string[],
  context: { agent: Agent; modelID: string | undefined },
) => readonly string[] | void | Promise<readonly string[] | void>

export declare namespace SystemPrompt {
  /**
   * Builds the system prompt, one text per part: the agent's own prompt or the base prompt of the
   * model's family, the environment, and all instructions found. `transform` is applied last.
   */
  export function build<Agent extends object>(input: SystemPromptInput<Agent>): Promise<string[]>
  /** The same, and every instruction source that was considered, in one pass. */
  export function buildWithReport<Agent extends object>(input: SystemPromptInput<Agent>): Promise<SystemPromptReport>
  /** Returns what the agent should know about the machine: one text with an `<env>` block. */
  export function environment(options?: EnvironmentOptions | null): string[]
  /**
   * Returns the base prompt of a model's family: Anthropic's for `claude`; OpenAI's for `gpt-`, and for
   * `o1`, `o3` and `o4` at the start of a part of the name; Google's for `gemini`; and a general one for
   * all others.
   */
  export function provider(modelID: string, options?: ProviderOptions | null): string[]
}

/** The input of `assembleSystemPrompt`. */
export interface SegmentOptions {
  /**
   * The core text. Without it, `coreFile` is read.
   * @default undefined
   */
  core?: string | null | undefined
  /**
   * The file with the core text. Rejects with an `UnreadableFileError` if it cannot be read.
   * @default 'SYSTEM_PROMPT.md'
   */
  coreFile?: string | null | undefined
  /**
   * The tools and notes on using them, one line each: a list, or an AI SDK's registry object.
   * @default []
   */
  tools?: readonly ToolNote[] | Record<string, { description?: string | null | undefined }> | null | undefined
  /**
   * The language of the titles. `'auto'` is Chinese if the core text has Chinese characters and
   * no kana, and English otherwise.
   * @default 'auto'
   */
  locale?: 'auto' | 'zh' | 'en' | null | undefined
}

/** A tool and a note on using it. */
export interface ToolNote {
  name: string
  usage: string
}

/** The attributes of a hint, in the order in which they are written. */
export interface SystemHintAttributes {
  /** What the hint is about, for example `tool_degraded`. */
  type: string
  /** The tool it concerns. */
  tool?: string | null | undefined
  [attribute: string]: string | number | boolean | null | undefined
}

/** Options of `truncateToolOutput`. */
export interface TruncateOptions {
  /**
   * The maximum number of characters, as `output.length` counts them, without the hint.
   * @default 8000
   */
  maxChars?: number | null | undefined
  /**
   * The language of the hint.
   * @default 'en'
   */
  locale?: 'zh' | 'en' | null | undefined
}

/** Assembles a system prompt as one text: the core, then notes on the tools and runtime hints, if any. */
export declare function assembleSystemPrompt(
  runtimeHints?: readonly string[] | null,
  options?: SegmentOptions | null,
): Promise<string>

/**
 * Returns the hint that replaces an earlier conversation: its summary. With `locale: 'auto'`, the
 * default, the language follows the summary.
 */
export declare function compressionHint(summary: string, options?: Pick<SegmentOptions, 'locale'> | null): string

/** Returns a `<system_hint>` with the attributes in the given order, escaped, and the text inside. */
export declare function systemHint(attributes: SystemHintAttributes, text: string): string

/**
 * Returns a tool's output if it has at most `maxChars` characters (as JavaScript counts them), otherwise
 * its beginning and a hint of type `tool_output_omitted`.
 */
export declare function truncateToolOutput(tool: string, output: string, options?: TruncateOptions | null): string
