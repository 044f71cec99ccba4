/** `assembleSystemPrompt`: a system prompt as one text, and the hints for it. */
import native = require('../../binding.js')
import { fields } from '../checks/fields.js'
import {
  arrayOf,
  entriesOf,
  integer,
  isMissing,
  object,
  oneOf,
  optional,
  string,
  stringArray,
  type Kind,
} from '../checks/kinds.js'
import { pathOf, unknownValue, wrongType } from '../checks/problems.js'
import { settled } from '../errors.js'
import type { HintAttribute } from '../../binding.js'

const { isArray } = Array
const { hasOwn, keys } = Object

/** A tool and a note on using it. */
export interface ToolNote {
  name: string
  usage: string
}

const toolList = arrayOf(fields<ToolNote>()({ name: string, usage: string }, { required: true }))

/** The input of `assembleSystemPrompt`. */
export interface SegmentOptions {
  /** The core text. Without it, `coreFile` is read. @default undefined */
  core?: string | null | undefined
  /**
   * The file with the core text. Rejects with an `UnreadableFileError` if it cannot be read.
   * @default 'SYSTEM_PROMPT.md'
   */
  coreFile?: string | null | undefined
  /** The tools and notes on using them, one line each: a list, or an AI SDK's registry object. @default [] */
  tools?: readonly ToolNote[] | Record<string, { description?: string | null | undefined }> | null | undefined
  /**
   * The language of the titles. `'auto'` is Chinese if the core text has Chinese characters and
   * no kana, and English otherwise.
   * @default 'auto'
   */
  locale?: 'auto' | 'zh' | 'en' | null | undefined
}

/** A tool from an SDK's registry. Most of its fields do not concern us. */
const registry = entriesOf((value, parent, name) =>
  optional(string, '')(object(value, parent, name)['description'], pathOf(parent, name), 'description'),
)

const tools: Kind<ToolNote[], NonNullable<SegmentOptions['tools']>> = (value, parent, name) => {
  if (isArray(value)) return toolList(value, parent, name)
  if (typeof value !== 'object') return wrongType('an array or an object', value, parent, name)
  return registry(value, parent, name).map(([tool, usage]) => ({ name: tool, usage }))
}

const anyLocale = optional(oneOf(['auto', 'zh', 'en'] as const))

const segmentOptions = fields<SegmentOptions>()({
  core: optional(string),
  coreFile: optional(string),
  tools: optional(tools, []),
  locale: anyLocale,
})

const hintOptions = fields<Pick<SegmentOptions, 'locale'>>()(
  { locale: anyLocale },
  { also: ['core', 'coreFile', 'tools'] },
)
const checkHints = optional(stringArray, [])

/** The attributes of a hint, in the order in which they are written. */
export interface SystemHintAttributes {
  /** What the hint is about, for example `tool_degraded`. */
  type: string
  /** The tool it concerns. */
  tool?: string | null | undefined
  [attribute: string]: string | number | boolean | null | undefined
}

const hintAttributes: Kind<HintAttribute[], SystemHintAttributes> = (value, parent, name) => {
  const given = object(value, parent, name)
  const path = pathOf(parent, name)
  const attributes: HintAttribute[] = []
  for (const key of keys(given)) {
    if (!/^[A-Za-z_][\w.-]*$/.test(key)) unknownValue('an object whose keys are attribute names', key, parent, name)
    const attribute = hasOwn(given, key) ? given[key] : undefined
    if (isMissing(attribute)) continue
    if (!['string', 'number', 'boolean'].includes(typeof attribute))
      wrongType('a string, a number or a boolean', attribute, path, key)
    attributes.push({ name: key, value: String(attribute) })
  }
  if (attributes.every((attribute) => attribute.name !== 'type'))
    wrongType('a string', hasOwn(given, 'type') ? given['type'] : undefined, path, 'type')
  return attributes
}

/** Options of `truncateToolOutput`. */
export interface TruncateOptions {
  /** The maximum number of characters, as `output.length` counts them, without the hint. @default 8000 */
  maxChars?: number | null | undefined
  /** The language of the hint. @default 'en' */
  locale?: 'zh' | 'en' | null | undefined
}

const truncateOptions = fields<TruncateOptions>()({
  maxChars: optional(integer(0)),
  locale: optional(oneOf(['zh', 'en'] as const)),
})

/** Assembles a system prompt as one text: the core, then notes on the tools and runtime hints, if any. */
export async function assembleSystemPrompt(
  runtimeHints?: readonly string[] | null,
  options?: SegmentOptions | null,
): Promise<string> {
  const hints = checkHints(runtimeHints, '', 'runtimeHints')
  const segments = segmentOptions(options, '', 'options')
  return settled(() => native.assembleSystemPrompt(hints, segments, process.cwd()))
}

/**
 * Returns the hint that replaces an earlier conversation: its summary. With `locale: 'auto'`, the
 * default, the language follows the summary.
 */
export function compressionHint(summary: string, options?: Pick<SegmentOptions, 'locale'> | null): string {
  string(summary, '', 'summary')
  return native.compressionHint(summary, hintOptions(options, '', 'options').locale)
}

/** Returns a `<system_hint>` with the attributes in the given order, escaped, and the text inside. */
export function systemHint(attributes: SystemHintAttributes, text: string): string {
  const checked = hintAttributes(attributes, '', 'attributes')
  return native.systemHint(checked, string(text, '', 'text'))
}

/**
 * Returns a tool's output if it has at most `maxChars` characters (as JavaScript counts them), otherwise
 * its beginning and a hint of type `tool_output_omitted`.
 */
export function truncateToolOutput(tool: string, output: string, options?: TruncateOptions | null): string {
  string(tool, '', 'tool')
  string(output, '', 'output')
  const { maxChars = native.DEFAULT_MAX_OUTPUT_CHARS, locale } = truncateOptions(options, '', 'options')
  // A text that is short enough is not passed to native code.
  return output.length <= maxChars ? output : (native.truncateToolOutput(tool, output, maxChars, locale) ?? output)
}
