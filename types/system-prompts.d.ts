/** System prompts, their segments and hints. */
import type { InstructionOptions, LoadedInstruction } from './instructions.js'

/** How the base prompt of a model is chosen. */
export interface ProviderOptions {
  /**
   * Custom families, tried before the built-in ones, in the order given: a part of the
   * model's name, in any letter case, and the text or texts for such models. With `^` in
   * front, the part has to stand at the start of the name or after a separator: `^o5` is in
   * `openai/o5-mini` and not in `turbo5`.
   * @default {}
   */
  families?: Record<string, string | readonly string[]> | null | undefined
}

/** What the environment block says. */
export interface EnvironmentOptions {
  /**
   * The working directory of the agent.
   * @default process.cwd()
   */
  directory?: string | null | undefined
  /**
   * The date; it is written in the local time zone.
   * @default new Date()
   */
  now?: Date | null | undefined
  /**
   * More lines, in order; an object's entries become `name: value`.
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

/** What a system prompt is built from. */
export interface SystemPromptInput<Agent extends object = SystemPromptAgent>
  extends InstructionOptions,
    EnvironmentOptions,
    ProviderOptions {
  /**
   * The working directory of the agent.
   * @default process.cwd()
   */
  directory?: string | null | undefined
  /** The agent; handed to `transform` as it is. */
  agent: Agent & SystemPromptAgent
  /**
   * The model; without one, an agent without a prompt gets the general base prompt.
   * @default undefined
   */
  modelID?: string | null | undefined
  /**
   * Changes the parts before they are returned: the array that it returns, or a promise of
   * one, takes their place; if it returns nothing, the array that it was given is used, with
   * whatever it did to it. What it throws reaches the caller.
   * @default undefined
   */
  transform?: SystemPromptTransform<Agent> | null | undefined
}

/** A system prompt, and where its instructions come from. */
export interface SystemPromptReport {
  /** The parts, as `build` returns them. */
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
   * The system prompt, a text for each part: the agent's own prompt or that of the model's
   * family, the environment, and every instruction that is found. `transform` is applied last.
   */
  export function build<Agent extends object>(input: SystemPromptInput<Agent>): Promise<string[]>
  /** The same, with every instruction source that was considered, in one pass. */
  export function buildWithReport<Agent extends object>(input: SystemPromptInput<Agent>): Promise<SystemPromptReport>
  /** What the agent should know about the machine: one text with an `<env>` block. */
  export function environment(options?: EnvironmentOptions | null): string[]
  /**
   * The base prompt of a model's family: of Anthropic's for `claude`, OpenAI's for `gpt-`, and
   * `o1`, `o3` and `o4` at the start of a part of the name, Google's for `gemini`, and a general
   * one for all others.
   */
  export function provider(modelID: string, options?: ProviderOptions | null): string[]
}

/** What a system prompt of segments is assembled from. */
export interface SegmentOptions {
  /**
   * The core text; without it, `coreFile` is read.
   * @default undefined
   */
  core?: string | null | undefined
  /**
   * The file with the core text. If it cannot be read, the promise is rejected with an
   * `UnreadableFileError`.
   * @default 'SYSTEM_PROMPT.md'
   */
  coreFile?: string | null | undefined
  /**
   * The tools and what to know about using them, a line each: a list, or the registry object
   * that AI SDKs keep.
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

/** A tool, and what to know about using it. */
export interface ToolNote {
  name: string
  usage: string
}

/** The attributes of a hint, in the order in which they are written. */
export interface SystemHintAttributes {
  /** What the hint is about, such as `tool_degraded`. */
  type: string
  /** The tool that it concerns. */
  tool?: string | null | undefined
  [attribute: string]: string | number | boolean | null | undefined
}

/** How a tool's output is cut. */
export interface TruncateOptions {
  /**
   * The most characters, as `output.length` counts them; the hint is not counted.
   * @default 8000
   */
  maxChars?: number | null | undefined
  /**
   * The language of the hint.
   * @default 'en'
   */
  locale?: 'zh' | 'en' | null | undefined
}

/**
 * A system prompt as one text: the core; notes on the tools, if there are any; the runtime
 * hints, if there are any.
 */
export declare function assembleSystemPrompt(
  runtimeHints?: readonly string[] | null,
  options?: SegmentOptions | null,
): Promise<string>

/**
 * The hint that takes the place of an earlier conversation: its summary. With `locale: 'auto'`,
 * the default, the summary decides its language.
 */
export declare function compressionHint(summary: string, options?: Pick<SegmentOptions, 'locale'> | null): string

/** A `<system_hint>` with the attributes in the order given, escaped, and the text inside. */
export declare function systemHint(attributes: SystemHintAttributes, text: string): string

/**
 * A tool's output if it has at most `maxChars` characters (as JavaScript counts them), else
 * its beginning and a hint of type `tool_output_omitted`.
 */
export declare function truncateToolOutput(tool: string, output: string, options?: TruncateOptions | null): string
