'use strict'
/**
 * What another budget would keep, from sizes alone: the rules of `src/budget/`, without a text.
 * It runs in the page, and before that in Node, where it is compared with the addon.
 *
 * @typedef {{ bytes: number, runs: [size: number, count: number][] }} Cuttable A text that can be cut: its size, and the sizes of its graphemes.
 * @typedef {{ heading: number, lines: number[], pinned: number[], windowStart: number, detached: number[], step: number }} ContextSizes
 * @typedef {{ instruction: number, heading: number, inPrompt: boolean, inFlag: boolean, max: number | null }} SystemSizes
 * @typedef {{ name: string, prompt: number, flag: number }} SectionSizes
 * @typedef {{
 *   policy: 'assembler' | 'buildPrompt', sections: SectionSizes[], context: ContextSizes | null, siblings: number[],
 *   system: SystemSizes | null, required: number,
 *   summary: Cuttable | null, parent: Cuttable | null, message: Cuttable | null, file: Cuttable | null,
 * }} Sizes
 * @typedef {{ head: number, tail: number, bytes: number }} Cut How many bytes of both ends are left, and the size with the omission line.
 * @typedef {{
 *   fits: boolean, unknown: string | null, totalBytes: number, sections: SectionSizes[],
 *   first: number, firstFitting: number, siblings: number, cuts: { [text: string]: Cut },
 * }} BudgetPlan `unknown` names a text of which the page does not know where it would be cut.
 */

const SECTION_BREAK = 2
const GAP_LINE = 26
const MIN_SHORTENED = 1024
const MIN_FILE = 2048
const MIN_AROUND_OMISSION = 32

/** Bytes of the line that says how many bytes are missing. */
const omissionBytes = (/** @type {number} */ omitted) => 26 + String(omitted).length

/**
 * The last place at or before `limit` where a text can be cut.
 * @param {Cuttable} text
 * @param {number} limit
 */
const placeBefore = ({ runs }, limit) => {
  let at = 0
  for (const [size, count] of runs) {
    if (at + size * count > limit) return at + Math.floor((limit - at) / size) * size
    at += size * count
  }
  return at
}

/**
 * How many bytes of the end stay, if at most `limit` may.
 * @param {Cuttable} text
 * @param {number} limit
 */
const tailBytes = (text, limit) => {
  const least = text.bytes - limit
  const before = placeBefore(text, least)
  if (before === least) return limit
  let at = 0
  for (const [size, count] of text.runs) {
    if (at + size * count > before) return text.bytes - before - size
    at += size * count
  }
  return 0
}

/**
 * What is left of a text in at most `limit` bytes; `undefined` if it cannot be cut to that.
 * @param {Cuttable} text
 * @param {number} limit
 * @returns {Cut | undefined}
 */
const cutTo = (text, limit) => {
  if (limit >= text.bytes) return { head: text.bytes, tail: 0, bytes: text.bytes }
  const around = limit - omissionBytes(text.bytes)
  if (around < MIN_AROUND_OMISSION) return undefined
  const head = placeBefore(text, Math.ceil(around / 2))
  if (head === 0 || tailBytes(text, Math.floor(around / 2)) === 0) return undefined
  const tail = tailBytes(text, around - head)
  return { head, tail, bytes: head + tail + omissionBytes(text.bytes - head - tail) }
}

/** @param {SectionSizes[]} sections */
const sumOf = (sections) => {
  const inPrompt = sections.filter(({ prompt }) => prompt > 0)
  const breaks = Math.max(0, inPrompt.length - 1) * SECTION_BREAK
  return sections.reduce((sum, { prompt, flag }) => sum + prompt + flag, breaks)
}

/**
 * How many gap lines there are, for each line that the conversation may be kept from: what is kept
 * is that line, all newer ones, and the pinned ones before it.
 * @param {ContextSizes} context
 */
const gapCounts = ({ lines, pinned, detached }) => {
  const counts = lines.map(() => 0)
  counts.push(0)
  if (pinned.length === 0) return counts
  const [pins, missing] = [new Set(pinned), new Set(detached)]
  let missingAfter = detached.filter((at) => at < lines.length).length
  let betweenPins = 0
  let lastPin = -1
  for (let first = 0; first < lines.length; first++) {
    if (missing.has(first)) missingAfter--
    const isGap = lastPin >= 0 && (first > lastPin + 1 || missing.has(first))
    counts[first] = betweenPins + (isGap ? 1 : 0) + missingAfter
    if (!pins.has(first)) continue
    if (isGap) betweenPins++
    lastPin = first
  }
  counts[lines.length] = betweenPins
  return counts
}

/**
 * The bytes of what is kept, for each line that the conversation may be kept from.
 * @param {ContextSizes} context
 */
const contextBytes = (context) => {
  const { lines, pinned } = context
  const pins = new Set(pinned)
  const sizes = gapCounts(context).map((gaps) => gaps * (GAP_LINE + 1))
  let bytes = pinned.reduce((sum, at) => sum + (lines[at] ?? 0) + 1, 0)
  for (let first = lines.length; first >= 0; first--) {
    if (first < lines.length && !pins.has(first)) bytes += (lines[first] ?? 0) + 1
    sizes[first] = Math.max(0, (sizes[first] ?? 0) + bytes - 1)
  }
  return sizes
}

/** Computed once for each conversation: @type {WeakMap<ContextSizes, number[]>} */
const knownBytes = new WeakMap()

/**
 * From which line on the conversation is kept, and for which line on there was room: the number of
 * dropped messages may be rounded up.
 * @param {ContextSizes} context
 * @param {number} room Negative for none.
 */
const keepNewest = (context, room) => {
  const { lines, step, windowStart } = context
  const sizes = knownBytes.get(context) ?? contextBytes(context)
  knownBytes.set(context, sizes)
  const sizeAt = (/** @type {number} */ first) => sizes[first] ?? 0
  let firstFitting = lines.length
  let least = lines.length
  for (let first = windowStart; first < lines.length; first++) {
    const fits = sizeAt(first) <= room
    if (fits && firstFitting === lines.length) firstFitting = first
    // A line more can make a gap line unnecessary: what needs the least is not always the shortest.
    if ((first - windowStart) % step === 0 && (fits || sizeAt(first) < sizeAt(least))) {
      least = first
      if (fits) break
    }
  }
  return { first: least, firstFitting, bytes: sizeAt(least) }
}

/**
 * What a budget keeps.
 * @param {Sizes} sizes
 * @param {number} budget
 * @returns {BudgetPlan}
 */
const planAt = (sizes, budget) => {
  const sections = sizes.sections.map((section) => ({ ...section }))
  const named = (/** @type {string} */ name) => sections.find((section) => section.name === name)
  const over = () => Math.max(0, sumOf(sections) - budget)
  const lines = sizes.context?.lines.length ?? 0
  /** @type {BudgetPlan} */
  const plan = {
    fits: false, unknown: null, totalBytes: 0, sections, first: lines, firstFitting: lines, siblings: sizes.siblings.length, cuts: {},
  }
  const steps = sizes.policy === 'assembler'
    ? [dropContext, dropSiblings, () => shorten('summary'), () => shorten('parent'), shortenMessage]
    : [capSystem, dropContext, () => shorten('summary'), shortenFile]
  for (const step of steps) {
    step()
    if (plan.unknown !== null || (step !== capSystem && over() === 0)) break
  }
  plan.totalBytes = sumOf(sections)
  plan.fits = plan.unknown === null && over() === 0
  return plan

  function dropContext() {
    const section = named('context')
    if (section === undefined || sizes.context === null) return
    const hasOthers = sections.some(({ prompt }) => prompt > 0)
    const frame = sizes.context.heading + (hasOthers ? SECTION_BREAK : 0)
    const { first, firstFitting, bytes } = keepNewest(sizes.context, budget - sumOf(sections) - frame)
    Object.assign(plan, { first, firstFitting })
    section.prompt = bytes > 0 ? sizes.context.heading + bytes : 0
  }

  function dropSiblings() {
    const section = named('siblings')
    if (section === undefined) return
    if (sizes.siblings.length === 0) {
      plan.unknown = 'siblings'
      return
    }
    const most = over()
    let saved = 0
    while (saved < most && plan.siblings > 0) saved += (sizes.siblings[--plan.siblings] ?? 0) + 1
    const dropped = sizes.siblings.slice(plan.siblings).reduce((sum, item) => sum + item + 1, 0)
    section.prompt = plan.siblings > 0 ? section.prompt - dropped : 0
  }

  /** @param {'summary' | 'parent'} name Shortened, or dropped if too little of it would be left. */
  function shorten(name) {
    const section = named(name)
    if (section === undefined) return
    const text = sizes[name]
    if (text === null) {
      plan.unknown = name
      return
    }
    const cut = cutTo(text, Math.max(0, text.bytes - over()))
    const isKept = cut !== undefined && cut.bytes >= MIN_SHORTENED
    plan.cuts[name] = isKept ? cut : { head: 0, tail: 0, bytes: 0 }
    section.prompt = isKept ? section.prompt - text.bytes + cut.bytes : 0
  }

  function shortenMessage() {
    const section = named('message')
    if (section === undefined || budget < sizes.required) return
    if (sizes.message === null) {
      plan.unknown = 'message'
      return
    }
    const cut = cutTo(sizes.message, sizes.message.bytes - over())
    if (cut === undefined) return
    plan.cuts.message = cut
    section.prompt += cut.bytes - sizes.message.bytes
  }

  /** Bytes of the instruction file as it is planned now. */
  function fileBytes() {
    return plan.cuts.file?.bytes ?? sizes.file?.bytes ?? 0
  }

  /** @param {Cut} cut */
  function setFile(cut) {
    const section = named('system')
    if (section === undefined || sizes.system === null) return
    const { instruction, heading, inPrompt, inFlag } = sizes.system
    const between = instruction > 0 && cut.bytes > 0 ? SECTION_BREAK : 0
    const body = instruction + between + cut.bytes
    plan.cuts.file = cut
    section.prompt = inPrompt && body > 0 ? heading + body : 0
    section.flag = inFlag ? body : 0
  }

  /** The instruction file is shortened until the system text is within its share. */
  function capSystem() {
    if (sizes.system === null || sizes.file === null) return
    const { instruction, max } = sizes.system
    const body = instruction + (instruction > 0 ? SECTION_BREAK : 0) + sizes.file.bytes
    const tooMuch = body - (max ?? Math.floor(budget / 2))
    if (tooMuch <= 0) return
    if (sizes.file.runs.length === 0) plan.unknown = 'instruction file'
    else setFile(cutTo(sizes.file, Math.max(0, sizes.file.bytes - tooMuch)) ?? { head: 0, tail: 0, bytes: 0 })
  }

  function shortenFile() {
    if (sizes.system === null || sizes.file === null || fileBytes() === 0) return
    if (sizes.file.runs.length === 0) {
      plan.unknown = 'instruction file'
      return
    }
    const copies = (sizes.system.inPrompt ? 1 : 0) + (sizes.system.inFlag ? 1 : 0)
    const limit = Math.max(fileBytes() - Math.ceil(over() / copies), Math.min(MIN_FILE, fileBytes()))
    const cut = cutTo(sizes.file, limit)
    if (cut !== undefined) setFile(cut)
  }
}

/**
 * What happens to a line of the conversation.
 * @param {ContextSizes} context
 * @param {{ first: number, firstFitting: number }} plan
 * @param {number} line
 * @returns {'kept' | 'pinned' | 'budget' | 'step'}
 */
const fateOf = (context, plan, line) => {
  if (context.pinned.includes(line)) return 'pinned'
  if (line >= plan.first) return 'kept'
  return line < plan.firstFitting ? 'budget' : 'step'
}

module.exports = { cutTo, fateOf, planAt }
