/** The texts of a layout around those of a plain prompt, one that has nothing but the common texts and a conversation. */
import type { PromptPart } from './agents.js'

const { parse } = JSON

/** Callers can make up names. */
const MOST_NAMES = 256
const LINE_BREAK = /[\n-\r\u0085\u2028\u2029]/

/** A line up to its content, after a line break. */
export interface Opening {
  from: string
  to: string
  text: string
  bytes: number
  /** Whether the names have no line breaks. */
  isOneLine: boolean
}

interface TemplateData {
  /** Each with the lines above its text. */
  sections: [part: PromptPart, heading: string][]
  /** Whether the system text is in the prompt. */
  inPrompt: boolean
  /** Whether it is beside the prompt. */
  inFlag: boolean
  open: string
  /** Null if addressees are not shown. */
  arrow: string | null
  everyone: string
  colon: string
}

/** What surrounds the lines of a prompt. */
export interface Surroundings {
  /** The text before the first line, without a line break between them. */
  opened: string
  /** The text after the last line. */
  closed: string
  /** The text for the CLI's flag; empty for none. */
  flag: string
}

/** The given texts of a prompt, trimmed. */
export interface PlainTexts {
  system: string
  teamTask: string
  message: string
}

interface Section {
  part: keyof PlainTexts
  heading: string
}

const SECTION_BREAK = '\n\n'

const sectionsOf = (data: TemplateData['sections'], inPrompt: boolean): Section[] =>
  data.flatMap(([part, heading]) => {
    const isText = part === 'teamTask' || part === 'message' || (part === 'system' && inPrompt)
    return isText ? [{ part, heading }] : []
  })

/** The sections that have a text. */
const fill = (sections: readonly Section[], texts: PlainTexts) => {
  let filled = ''
  for (const { part, heading } of sections) {
    const text = texts[part]
    if (text !== '') filled = (filled === '' ? heading : filled + SECTION_BREAK + heading) + text
  }
  return filled
}

export class Template {
  #data: TemplateData
  #openings: Map<string, Map<string, Opening>> = new Map()
  #before: Section[]
  #heading: string
  #after: Section[]

  /** @param json As native code describes it. */
  constructor(json: string) {
    this.#data = parse(json) as TemplateData
    const { sections, inPrompt } = this.#data
    const context = sections.findIndex(([part]) => part === 'context')
    this.#before = sectionsOf(sections.slice(0, context), inPrompt)
    this.#heading = sections[context]?.[1] ?? ''
    this.#after = sectionsOf(sections.slice(context + 1), inPrompt)
  }

  /** Around lines, each of which comes with the line break before it. */
  surround(texts: PlainTexts): Surroundings {
    const before = fill(this.#before, texts)
    const after = fill(this.#after, texts)
    const opened = before === '' ? this.#heading : before + SECTION_BREAK + this.#heading
    return {
      opened: opened.slice(0, -1),
      closed: after === '' ? '' : SECTION_BREAK + after,
      flag: this.#data.inFlag ? texts.system : '',
    }
  }

  /** The prompt without a conversation. */
  bare(texts: PlainTexts): string {
    return fill([...this.#before, ...this.#after], texts)
  }

  /** @param to Empty for everyone. */
  openingOf(from: string, to: string): Opening {
    let known = this.#openings.get(from)
    if (known === undefined) this.#openings.set(from, (known = new Map()))
    const found = known.get(to)
    if (found !== undefined) return found
    if (known.size >= MOST_NAMES) known.clear()
    if (this.#openings.size > MOST_NAMES) this.#openings.clear()
    const { open, arrow, everyone, colon } = this.#data
    const addressee = arrow === null ? '' : arrow + (to || everyone)
    const bytes = Buffer.from(`\n${open}${from}${addressee}${colon}`)
    // Decoded, so that it is well-formed and in one piece.
    const opening = { from, to, text: bytes.toString(), bytes: bytes.length, isOneLine: !LINE_BREAK.test(from + to) }
    known.set(to, opening)
    return opening
  }
}
