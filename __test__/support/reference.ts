/**
 * A second, plain implementation of the assemblers: take one thing away, build the whole
 * prompt again, measure it, repeat. Slow and obvious, to compare the real ones with.
 */
import type { AssemblerInput, AssemblerOptions, LayoutDefinition, PromptContextMessage, PromptPart } from 'promptmason'
import type { Agent, Outcome } from './assemblers.js'

export const PARTS: readonly PromptPart[] = [
  'system',
  'teamTask',
  'summary',
  'context',
  'parent',
  'siblings',
  'message',
  'routing',
]

export const BRACKETED: Record<PromptPart, string> = {
  system: '[SYSTEM]',
  teamTask: '[TEAM_TASK]',
  summary: '[SUMMARY]',
  context: '[CONTEXT]',
  parent: '[PARENT_CONTEXT]',
  siblings: '[RELATED_CONTEXT]',
  message: '[MESSAGE]',
  routing: '[ROUTING_META]',
}

export const TITLES: Record<Agent, Record<PromptPart, string>> = {
  claude: BRACKETED,
  codex: BRACKETED,
  gemini: {
    system: 'Instructions:',
    teamTask: 'Team Task:',
    summary: 'Summary of the conversation so far:',
    context: 'Conversation so far:',
    parent: 'Original message (reinserted for context):',
    siblings: 'Related responses (avoid repeating):',
    message: 'Last message:',
    routing: 'Routing info:',
  },
  plain: { system: '', teamTask: '', summary: '', context: '', parent: '', siblings: '', message: '', routing: '' },
}

export const NOTES: Partial<Record<PromptPart, string>> = {
  parent: '(the message you are replying to, repeated for context)',
  siblings: '(other replies to that message, newest first; do not repeat them)',
}

const sectionsOf = (agent: Agent, parts: readonly PromptPart[], notes: Partial<Record<PromptPart, string>> = {}) =>
  parts.map((part) => ({ part, title: TITLES[agent][part], note: notes[part] }))

/** The layouts of this package, as a caller would write them. */
export const LAYOUTS: Record<Agent, LayoutDefinition> = {
  claude: {
    agentType: 'claude-code',
    systemPlacement: 'flag',
    sections: sectionsOf('claude', PARTS, NOTES),
    messageLine: { open: '- ', arrow: ' -> ' },
  },
  codex: {
    agentType: 'openai-codex',
    sections: sectionsOf('codex', PARTS, NOTES),
    messageLine: { open: '- ', arrow: ' -> ' },
  },
  gemini: {
    agentType: 'google-gemini',
    sections: sectionsOf('gemini', PARTS),
    messageLine: { open: '- ' },
    labels: { parentMessageId: 'Replying to: ', intent: 'Intent: ' },
  },
  plain: {
    agentType: 'unknown',
    sections: sectionsOf(
      'plain',
      PARTS.filter((part) => part !== 'routing'),
    ),
    messageLine: {},
  },
}

const LEAST_SHORTENED_BYTES = 1024
const LEAST_AROUND_OMISSION_LINE = 32

const size = (text: string): number => Buffer.byteLength(text, 'utf8')

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** A cache of recent texts: tests cut the same text at many budgets, and segmenting is slow. */
const segmented = new Map<string, readonly string[]>()
const graphemes = (text: string): readonly string[] => {
  const known = segmented.get(text)
  if (known !== undefined) return known
  if (segmented.size >= 50) segmented.clear()
  const found = Array.from(segmenter.segment(text), ({ segment }) => segment)
  segmented.set(text, found)
  return found
}

/** As many of the pieces, from the front, as fit. */
const fitting = (pieces: readonly string[], maxBytes: number): readonly string[] => {
  let used = 0
  const end = pieces.findIndex((piece) => (used += size(piece)) > maxBytes)
  return end < 0 ? pieces : pieces.slice(0, end)
}

const head = (text: string, maxBytes: number): string => fitting(graphemes(text), maxBytes).join('')
const tail = (text: string, maxBytes: number): string =>
  fitting(graphemes(text).toReversed(), maxBytes).toReversed().join('')

const omissionLine = (bytes: number): string => `\n[… ${bytes} bytes omitted …]\n`

/** Head, omission line and tail; undefined when there is no room for these. */
export const shorten = (text: string, maxBytes: number): string | undefined => {
  if (size(text) <= maxBytes) return text
  const around = maxBytes - size(omissionLine(size(text)))
  if (around < LEAST_AROUND_OMISSION_LINE) return undefined
  const start = head(text, Math.ceil(around / 2))
  if (!start || !tail(text, Math.floor(around / 2))) return undefined
  const end = tail(text, around - size(start))
  return start + omissionLine(size(text) - size(start) - size(end)) + end
}

/** The fewest pieces, from the front, that reach this size in bytes; at least one. */
const enough = (pieces: readonly string[], minBytes: number): readonly string[] => {
  let used = 0
  return pieces.slice(0, pieces.findIndex((piece) => (used += size(piece)) >= minBytes) + 1 || pieces.length)
}

/** The smallest cut with at least this many bytes; the whole text if there is none. */
const leastCut = (text: string, minBytes: number): string => {
  const pieces = graphemes(text)
  let around = Math.max(minBytes - size(omissionLine(size(text))), LEAST_AROUND_OMISSION_LINE)
  for (; ; around++) {
    const half = Math.ceil(around / 2)
    const cuts = [head(text, half), enough(pieces, half).join('')].filter(Boolean).flatMap((start) => {
      const end = enough(pieces.toReversed(), around - size(start))
        .toReversed()
        .join('')
      const omitted = size(text) - size(start) - size(end)
      return omitted < 0 ? [] : [start + omissionLine(omitted) + end]
    })
    const [least] = cuts.filter((cut) => size(cut) < size(text)).toSorted((a, b) => size(a) - size(b))
    if (least === undefined) return text
    if (size(least) >= minBytes) return least
  }
}

/** The text in at most this many bytes, but not below its smallest cut; undefined if that is too large. */
const shortenedTo = (text: string, maxBytes: number, minBytes: number): string | undefined => {
  const least = leastCut(text, minBytes)
  if (least === text || size(least) > maxBytes) return undefined
  const short = shorten(text, maxBytes)
  return short !== undefined && size(short) >= size(least) ? short : least
}

/** The text with that much less in it; nothing if too little would be left. */
const shortenedBy = (text: string, over: number): string =>
  shortenedTo(text, size(text) - over, LEAST_SHORTENED_BYTES) ?? ''

/** Whether a text is another with its middle left out. */
const isShortened = (short: string, whole: string): boolean =>
  [...short.matchAll(/\n\[… (\d+) bytes omitted …\]\n/g)].some(({ 0: line, 1: omitted, index }) => {
    const [start, end] = [short.slice(0, index), short.slice(index + line.length)]
    return whole.startsWith(start) && whole.endsWith(end) && size(start) + Number(omitted) + size(end) === size(whole)
  })

/** A name in a line: a line break in it is a space. */
export const onOneLine = (name: string): string => name.replaceAll(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g, ' ')

const messageLine = (
  { messageLine: { open, arrow, colon } }: LayoutDefinition,
  { from, to, content }: PromptContextMessage,
): string => {
  const shown = arrow === undefined || arrow === null ? '' : arrow + onOneLine([to || 'all'].flat().join(', '))
  return `${open ?? ''}${onOneLine(from)}${shown}${colon ?? ': '}${content}`
}

const quoteLine = ({ messageLine: like, quoteLine: given }: LayoutDefinition, from: string, content: string): string =>
  `${given?.open ?? like.open ?? ''}${onOneLine(from)}${given?.colon ?? like.colon ?? ': '}${content}`

const systemText = ({ systemInstruction, instructionFileText }: AssemblerInput): string => {
  const lines = Array.isArray(systemInstruction) ? systemInstruction : [systemInstruction ?? '']
  const instruction = lines
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n')
  return [instruction, (instructionFileText ?? '').trim()].filter(Boolean).join('\n\n')
}

const routingText = ({ labels }: LayoutDefinition, { routeMeta }: AssemblerInput): string => {
  const [idLabel, intentLabel] = [labels?.parentMessageId ?? 'parentMessageId: ', labels?.intent ?? 'intent: ']
  const id = routeMeta?.parentMessageId?.trim()
  const intent = routeMeta?.intent?.trim()
  return [id && `${idLabel}${onOneLine(id)}`, intent && `${intentLabel}${onOneLine(intent)}`].filter(Boolean).join('\n')
}

/** Every string in a JSON-like value with its lone surrogates replaced. */
const wellFormed = <T>(value: T): T => {
  if (typeof value === 'string') return value.toWellFormed() as T
  if (Array.isArray(value)) return value.map(wellFormed) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, wellFormed(field)])) as T
}

export const GAP_LINE = '[… messages omitted …]'

export const referenceAssemble = (agent: Agent, options: AssemblerOptions, given: AssemblerInput): Outcome =>
  referenceOfLayout(LAYOUTS[agent], options, given)

export const referenceOfLayout = (
  definition: LayoutDefinition,
  options: AssemblerOptions,
  given: AssemblerInput,
): Outcome => {
  const [input, layout, headings] = [wellFormed(given), wellFormed(definition), wellFormed(options.headings)]
  const placement = options.systemPlacement ?? layout.systemPlacement ?? 'inline'
  const parts = new Set(layout.sections.map(({ part }) => part))

  const context = parts.has('context') ? input.contextMessages.map((message) => messageLine(layout, message)) : []
  const pinned = new Set(input.pinned)
  let first = 0
  const contextText = (): string => {
    const kept = context
      .map((line, index) => ({ line, index }))
      .filter(({ index }) => index >= first || pinned.has(index))
    const isGap = (index: number, before: number): boolean =>
      pinned.size > 0 && (index > before + 1 || (input.gapsBefore ?? []).includes(index))
    return kept
      .map(({ line, index }, nth) => (nth > 0 && isGap(index, kept[nth - 1]!.index) ? `${GAP_LINE}\n${line}` : line))
      .join('\n')
  }
  const siblings = parts.has('siblings')
    ? (input.siblingContext ?? []).map(({ from, content }) => quoteLine(layout, from, content))
    : []
  let summary = parts.has('summary') ? (input.summary ?? '').trim() : ''
  const parentFrom = input.parentContext?.from ?? ''
  let parent = parts.has('parent') ? (input.parentContext?.content ?? '') : ''
  let message = parts.has('message') ? input.currentMessage.trim() : ''
  if (parent.trim() === '' || parent.trim() === message || isShortened(parent.trim(), message)) parent = ''

  const build = () => {
    const system = systemText(input)
    const texts: Record<PromptPart, string> = {
      system: placement === 'flag' ? '' : system,
      teamTask: (input.teamTask ?? '').trim(),
      summary,
      context: contextText(),
      parent: parent && quoteLine(layout, parentFrom, parent),
      siblings: siblings.join('\n'),
      message,
      routing: routingText(layout, input),
    }
    const sectionText = ({ part, title, note }: LayoutDefinition['sections'][number]): string =>
      texts[part] && [headings?.[part] ?? title, note, texts[part]].filter(Boolean).join('\n')
    const prompt = layout.sections.map(sectionText).filter(Boolean).join('\n\n')
    const systemFlag = placement === 'inline' ? '' : system
    const sections: Partial<Record<PromptPart | 'pinned', number>> = {}
    for (const section of layout.sections) {
      const bytes = size(sectionText(section)) + (section.part === 'system' ? size(systemFlag) : 0)
      // What is left of the context when nothing fits is what is pinned.
      if (bytes > 0) sections[section.part === 'context' ? 'pinned' : section.part] = bytes
    }
    return { prompt, systemFlag: systemFlag || undefined, bytes: size(prompt) + size(systemFlag), sections }
  }
  const over = (): number => build().bytes - input.maxBytes

  const step = options.evictionStep || 1
  const allowed = [...context.keys()].filter((dropped) => dropped % step === 0).concat(context.length)
  const bytesFrom = (dropped: number): number => {
    first = dropped
    return build().bytes
  }
  const least = allowed.reduce(
    (best, dropped) => (bytesFrom(dropped) < bytesFrom(best) ? dropped : best),
    context.length,
  )
  first = allowed.find((dropped) => bytesFrom(dropped) <= input.maxBytes) ?? least

  while (over() > 0 && siblings.length > 0) siblings.pop()

  if (over() > 0) summary = shortenedBy(summary, over())
  if (over() > 0) parent = shortenedBy(parent, over())
  if (over() > 0 && message) {
    const minBytes = options.messageMinBytes ?? 256
    // If it does not fit, it is what would have been needed.
    message = shortenedTo(message, size(message) - over(), minBytes) ?? leastCut(message, minBytes)
  }

  const { prompt, systemFlag, bytes, sections } = build()
  return bytes <= input.maxBytes ? { prompt, systemFlag } : { requiredBytes: bytes, sections }
}
