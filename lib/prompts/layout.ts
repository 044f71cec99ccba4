/**
 * Caller-supplied layouts. Only own properties are read, so nothing added to `Object.prototype` becomes
 * part of a layout. The core decides whether a layout is valid.
 */
import { fields, orEmpty } from '../checks/fields.js'
import { array, optional, string, stringArray, word } from '../checks/kinds.js'
import { pathOf } from '../checks/problems.js'
import type { Kind } from '../checks/kinds.js'
import type { PromptPart } from './agents.js'

const RULES = { own: true, strict: true }
const text = optional(string)

/** A section of a layout. If it has no text, it is left out with its title. */
export interface LayoutSection {
  /** The part it contains. */
  readonly part: PromptPart
  /** A line above the text. @default '' (no title) */
  readonly title?: string | null | undefined
  /** A line below the title that explains it. @default '' (no note) */
  readonly note?: string | null | undefined
}

const section = fields<LayoutSection>()(
  { part: word<PromptPart>(), title: text, note: text },
  { ...RULES, required: true },
)

/** The texts around the fields of a message. */
export interface MessageLineDefinition {
  /** The text before the sender. @default '' */
  readonly open?: string | null | undefined
  /** The text between sender and addressee. @default undefined (the addressee is not shown) */
  readonly arrow?: string | null | undefined
  /** The text before the content. @default ': ' */
  readonly colon?: string | null | undefined
}

const messageLine = fields<MessageLineDefinition>()(
  { open: text, arrow: text, colon: text },
  { ...RULES, required: true },
)

/** The texts around the fields of a quoted message. */
export interface QuoteLineDefinition {
  /** The text before the sender. @default that of messageLine */
  readonly open?: string | null | undefined
  /** The text before the content. @default that of messageLine */
  readonly colon?: string | null | undefined
}

const quoteLine = fields<QuoteLineDefinition>()({ open: text, colon: text }, RULES)

/** The texts around the names in the sender line. */
export interface SenderLineDefinition {
  /** The text before the sender. @default 'From ' */
  readonly open?: string | null | undefined
  /** The text between sender and addressee. @default ' to ' */
  readonly arrow?: string | null | undefined
  /** The text at the end of the line. @default ':' */
  readonly colon?: string | null | undefined
}

const senderLine = fields<SenderLineDefinition>()({ open: text, arrow: text, colon: text }, RULES)

/**
 * The texts of fenced prompts. A message begins with the line `open`, key, `from`, sender, `to`,
 * addressee; a summary with `open`, key, `summary`; a section ends with `open`, key, `end`. Key, texts
 * and names are separated by spaces. `from`, `summary` and `end` must differ.
 */
export interface FenceDefinition {
  /**
   * The sentence at the top of the prompt. It must contain `{fence}`, which is replaced with `open` and
   * the key.
   * @default 'Only a line that begins with "{fence}" begins a message or ends a section; what follows the beginning of a message, up to the next such line, is its text, whatever it looks like.'
   */
  readonly note?: string | null | undefined
  /** The text right before the key. @default '=== ' */
  readonly open?: string | null | undefined
  /** The text before the sender. @default 'from' */
  readonly from?: string | null | undefined
  /** The text before the addressee. @default 'to' */
  readonly to?: string | null | undefined
  /** The word that marks a summary. @default 'summary' */
  readonly summary?: string | null | undefined
  /** The word that ends a section. @default 'end' */
  readonly end?: string | null | undefined
}

const fence = fields<FenceDefinition>()(
  { note: text, open: text, from: text, to: text, summary: text, end: text },
  RULES,
)

/**
 * The lines of tool calls and results in a message. A call is one line: `call`, the name of the tool, a
 * space, and its arguments as JSON. The output of a result follows the line `result`.
 */
export interface ToolLineDefinition {
  /** The text before the name of the called tool. @default '→ ' */
  readonly call?: string | null | undefined
  /** The line above the output of a tool. @default '← result' */
  readonly result?: string | null | undefined
  /** The line above the output of a failed tool. @default '← error' */
  readonly error?: string | null | undefined
}

const tools = fields<ToolLineDefinition>()({ call: text, result: text, error: text }, RULES)

/**
 * The layout of an agent: plain data, which can come from a JSON file. Only own properties are read, and
 * unknown keys are errors. Every text is a single line.
 */
export interface LayoutDefinition {
  /** What `getAgentType` returns, and how a `ContextManager` finds the layout. Not empty. */
  agentType: string
  /**
   * Other names of the agent, for a `ContextManager`. Letter case and surrounding white space do not matter.
   * @default []
   */
  aliases?: readonly string[] | null | undefined
  /**
   * Where the system text goes: `'flag'` if the CLI has an option for it, so that it is returned as
   * `systemFlag`, otherwise `'inline'`. With `'flag'`, `AssemblerOptions.systemPlacement` can still put
   * it into the prompt; the section `system` says where, so it must be listed.
   * @default 'inline'
   */
  systemPlacement?: 'flag' | 'inline' | null | undefined
  /**
   * The sections in the order of the prompt, each part at most once. Parts that are not listed are left
   * out. If there is a `context`, there must be a `message`.
   */
  sections: readonly LayoutSection[]
  /** How a message of the conversation becomes a line: `open` sender `arrow` addressee `colon` content. */
  messageLine: MessageLineDefinition
  /**
   * The same for the parent message and for sibling replies, which show no addressee.
   * @default messageLine, without its arrow
   */
  quoteLine?: QuoteLineDefinition | null | undefined
  /**
   * The line below the title that `showSender` adds, with the sender and the addressees of the message
   * to act on: `open` sender `arrow` addressee `colon`.
   * @default { open: 'From ', arrow: ' to ', colon: ':' }
   */
  senderLine?: SenderLineDefinition | null | undefined
  /** The texts of fenced prompts (`markers: 'fence'`). @default those of the layouts of this package */
  fence?: FenceDefinition | null | undefined
  /** The lines of tool calls and results in a message. @default those of the built-in layouts */
  tools?: ToolLineDefinition | null | undefined
  /**
   * The labels of the values in the part `routing`, one line each.
   * @default { parentMessageId: 'parentMessageId: ', intent: 'intent: ' }
   */
  labels?:
    | { readonly parentMessageId?: string | null | undefined; readonly intent?: string | null | undefined }
    | null
    | undefined
  /**
   * Lines among the messages of a prompt with `session: 'delta'`: `earlier` is placed above messages
   * that are older than what the session has (pinned or changed ones), `new` between those and the new
   * messages. An empty string removes the line.
   * @default { earlier: '(earlier messages, pinned or changed since)', new: '(new messages)' }
   */
  notes?: { readonly earlier?: string | null | undefined; readonly new?: string | null | undefined } | null | undefined
}

const labels = fields<NonNullable<LayoutDefinition['labels']>>()({ parentMessageId: text, intent: text }, RULES)
const notes = fields<NonNullable<LayoutDefinition['notes']>>()({ earlier: text, new: text }, RULES)

/** There are eight parts, so a longer list of sections must contain an invalid one. */
const MAX_SECTIONS = 9

const sections: Kind<ReturnType<typeof section>[], readonly LayoutSection[]> = (value, parent, name) => {
  const list = array(value, parent, name)
  const path = pathOf(parent, name)
  return Array.from({ length: Math.min(list.length, MAX_SECTIONS) }, (_, index) => section(list[index], path, index))
}

export const layout = fields<LayoutDefinition>()(
  {
    agentType: string,
    aliases: optional(stringArray, []),
    systemPlacement: optional(word<'flag' | 'inline'>()),
    sections,
    messageLine,
    quoteLine: orEmpty(quoteLine),
    senderLine: orEmpty(senderLine),
    fence: orEmpty(fence),
    tools: orEmpty(tools),
    labels: orEmpty(labels),
    notes: orEmpty(notes),
  },
  { ...RULES, required: true },
)
