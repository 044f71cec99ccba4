/**
 * An independent check of calls and results that are written as lines: every call stands above its result, and
 * every result below its call, wherever and however often a text shows them. Calls are named `call_1_`; the output
 * of their result repeats `result_1_ `.
 */
const CALL = /(?:→ |calls )call_(\d+)_ /
const RESULT = /^(?:← result|← error|gets|fails)$/
const OMISSION = /^\[… \d+ bytes omitted …\]$/
/** Even a piece of it counts. */
const OUTPUT = /(?:(?:(?:(?:r?e)?s)?u)?l)?t_(\d+)_/
const TOOL_BLOCKS = new Set([
  'tool_use',
  'tool_result',
  'function_call',
  'function_call_output',
  'tool-call',
  'tool-result',
])

/** Everything that is text in a prompt or a request; not the tool blocks, which APIs check. */
export const writtenTexts = (made: any): string => {
  const texts: string[] = []
  const collect = (value: any) => {
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'object' && value !== null && !TOOL_BLOCKS.has(value.type) && value.role !== 'tool')
      for (const [key, each] of Object.entries(value))
        if (!['tool_calls', 'functionCall', 'functionResponse'].includes(key)) collect(each)
  }
  collect(made)
  return texts.join('\n\n')
}

/**
 * What is wrong with the pairs of these numbers in a text. `hasOrphans` if there are results whose calls are not
 * there at all: such a result may be cut so short that its number is missing.
 */
export const brokenPairs = (text: string, pairs: ReadonlySet<number>, hasOrphans: boolean): string[] => {
  const broken: string[] = []
  let open: { number: number; stage: 'call' | 'opened' | 'result'; isCut: boolean } | undefined
  const close = () => {
    if (open !== undefined && open.stage !== 'result' && pairs.has(open.number))
      broken.push(`call ${open.number} has no result`)
    open = undefined
  }
  const lines = text.split('\n')
  for (const [nth, line] of lines.entries()) {
    const [, called] = CALL.exec(line) ?? []
    const [, returned] = OUTPUT.exec(line) ?? []
    if (called !== undefined) {
      close()
      open = { number: Number(called), stage: 'call', isCut: false }
    } else if (OMISSION.test(line)) {
      if (open !== undefined) open.isCut = true
    } else if (RESULT.test(line)) {
      if (open?.stage === 'call') open.stage = 'opened'
      else {
        close()
        const [, orphan] = OUTPUT.exec(lines[nth + 1] ?? '') ?? []
        if (orphan === undefined ? !hasOrphans : pairs.has(Number(orphan)))
          broken.push(`line ${nth} is a result without a call`)
      }
    } else if (returned !== undefined) {
      const isOpen = open?.number === Number(returned) && open.stage !== 'call'
      if (isOpen && open !== undefined) open.stage = 'result'
      else if (pairs.has(Number(returned))) broken.push(`result ${returned} has no call`)
    } else if (open?.stage === 'opened') {
      // The first bytes of a result that was cut.
      const [beginning = ''] = line.split('...')
      if (beginning !== '' && `result_${open.number}_ `.startsWith(beginning)) open.stage = 'result'
      else close()
    } else if (!(open?.stage === 'call' && open.isCut)) close()
    // The rest of arguments without their middle may be empty.
  }
  close()
  return broken
}
