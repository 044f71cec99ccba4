/** Options of assemblers. */
import { fields, forNative } from '../checks/fields.js'
import { boolean, entriesOf, integer, oneOf, optional, string, word } from '../checks/kinds.js'
import { nativeTokenizer } from '../tokens/token-functions.js'
import { tokenizer } from '../tokens/tokenizer.js'
import type { PromptPart } from './agents.js'
import type { Kind } from '../checks/kinds.js'
import type { Tokenizer } from '../tokens/tokenizer.js'
import type { AssemblerOptionFields } from '../../binding.js'

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
   * Titles by part, which replace those of the layout. A title is a single line; an empty string removes it.
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
   * What to do with lines in messages that look like a title or another message. `'verbatim'` keeps them, `'escape'`
   * puts a backslash before them. The report lists them either way. `'fence'` keeps them and makes them harmless:
   * every message, summary and section end of the prompt has a line with a key (`fenceKey`) that the authors of
   * messages cannot know, and everything else is text.
   *
   * Lines are considered the same if a model would read them as the same, regardless of letter case, white space,
   * invisible characters, terminal escape sequences, accents, full-width, circled and mathematical letters, and
   * look-alike brackets, dashes, arrows and colons. Look-alike letters from other scripts are considered different. In
   * layouts without an arrow, the text before a colon counts as a name if it has at most 64 characters, or if no
   * sentence ends in it.
   *
   * The backslash goes before the first character of the line that is neither white space nor invisible, or before its
   * first escape sequence. A line that already has backslashes there gets one more, so removing one restores the text.
   *
   * In a fenced prompt, if a text you pass contains the key, a hyphen is inserted before the key's last character.
   * This also applies to other letter case, invisible characters in between, and full-width, circled or mathematical
   * characters. The report lists it. The key therefore appears only in the layout's own lines. Fenced prompts show the
   * sender of the message to act on: see `showSender`.
   *
   * Names of senders and addressees, intents and parent ids always stay on one line: a line break in them becomes a
   * space, and the report lists it. `'escape'` also applies to the message to act on if the prompt shows its sender.
   * @default 'verbatim'; in `buildPrompt`, 'escape' with `recipient`, `messageFrom` or `showSender`
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
  /** What counts tokens for `maxTokens` and for reports. @default 'o200k' for Codex, else undefined */
  tokenizer?: Tokenizer | null | undefined
}

const titles = entriesOf(optional(string))

/** Titles by the names of parts; one that is missing leaves the layout's own. */
const headings: Kind<[part: string, title: string][], NonNullable<AssemblerOptions['headings']>> = (...place) =>
  titles(...place).flatMap(([part, title]) => (title === undefined ? [] : [[part, title]]))

export const markers = oneOf(['verbatim', 'escape', 'fence'])

export const assemblerOptions = fields<AssemblerOptions>()({
  tokenizer: optional(tokenizer),
  systemPlacement: optional(word<'flag' | 'inline' | 'both'>()),
  headings: optional(headings, []),
  evictionStep: optional(integer(0)),
  markers: optional(markers),
  showSender: optional(boolean),
  messageMinBytes: optional(integer(0)),
  toolOutputMinBytes: optional(integer(0)),
  reasoning: optional(oneOf(['omit', 'keep'])),
})

/** The options as native code takes them. */
export const nativeOptions = (checked: ReturnType<typeof assemblerOptions>): AssemblerOptionFields =>
  forNative({ ...checked, tokenizer: nativeTokenizer(checked.tokenizer) })
