import {
  ClaudeContextAssembler,
  CodexContextAssembler,
  GeminiContextAssembler,
  PlainTextAssembler,
  type AssemblerInput,
  type AssemblerOptions,
  type AssemblerReport,
  type PromptContextMessage,
  type PromptPart,
} from 'promptmason'
import { expect } from 'vitest'

export type Agent = 'claude' | 'codex' | 'gemini' | 'plain'
export const AGENTS: readonly Agent[] = ['claude', 'codex', 'gemini', 'plain']

export const CLASSES = {
  claude: ClaudeContextAssembler,
  codex: CodexContextAssembler,
  gemini: GeminiContextAssembler,
  plain: PlainTextAssembler,
} as const

export type Assembler = InstanceType<(typeof CLASSES)[Agent]>

export const create = (agent: Agent, options?: AssemblerOptions): Assembler => new CLASSES[agent](options)

/** Any value where a typed one is expected, as a caller without TypeScript may pass it. */
export const untyped = <T>(value: unknown): T => value as T

export const ROOMY = 768 * 1024

/** An input with only a current message, and whatever the test is about. */
export const inputOf = (fields: Partial<AssemblerInput> = {}): AssemblerInput => ({
  contextMessages: [],
  currentMessage: 'hello',
  teamTask: null,
  maxBytes: ROOMY,
  ...fields,
})

export const said = (from: string, content: string, to?: string | null): PromptContextMessage => ({ from, content, to })

/** `count` messages `m0`, `m1`, … from `a` to `b`. */
export const history = (count: number, text = (index: number) => `m${index}`): PromptContextMessage[] =>
  Array.from({ length: count }, (_, index) => said('a', text(index), 'b'))

export const byteLength = (text: string): number => Buffer.byteLength(text, 'utf8')

/** The fields of the library's errors. */
export type Thrown = Error & {
  code?: string
  unit?: 'bytes' | 'tokens'
  requiredBytes?: number
  maxBytes?: number
  requiredTokens?: number
  maxTokens?: number
  sections?: Partial<Record<PromptPart | 'pinned', number>>
}

/** What `run` throws; fails if it does not throw. */
export const thrownBy = (run: () => unknown): Thrown => {
  try {
    run()
  } catch (error) {
    return error as Thrown
  }
  throw new Error('expected an error, and there was none')
}

export const promptOf = (agent: Agent, fields: Partial<AssemblerInput>, options?: AssemblerOptions): string =>
  create(agent, options).assemble(inputOf(fields)).prompt

export const reportOf = (agent: Agent, fields: Partial<AssemblerInput>, options?: AssemblerOptions): AssemblerReport =>
  create(agent, options).assemble(inputOf(fields), { report: true }).report

/** UTF-8 bytes of what is sent when there is room for everything. */
export const fullSize = (agent: Agent, fields: Partial<AssemblerInput>, options?: AssemblerOptions): number => {
  const { prompt, systemFlag } = create(agent, options).assemble(inputOf({ ...fields, maxBytes: ROOMY * 100 }))
  return byteLength(prompt) + byteLength(systemFlag ?? '')
}

/** The output, or the error if the required parts do not fit. */
export type Outcome =
  | { prompt: string; systemFlag: string | undefined }
  | { requiredBytes: number; sections: Partial<Record<PromptPart | 'pinned', number>> }

const outcomeOf = (run: () => Outcome): Outcome => {
  try {
    return run()
  } catch (error) {
    const { code, requiredBytes, sections } = error as Thrown
    if (code !== 'ERR_BUDGET_EXCEEDED') throw error
    return { requiredBytes: requiredBytes ?? NaN, sections: sections ?? {} }
  }
}

/** The outcome of `assemble`, after checking that the three other forms agree with it. */
export const outcomeOfAllForms = (assembler: Assembler, input: AssemblerInput): Outcome => {
  const outcome = outcomeOf(() => {
    const { prompt, systemFlag } = assembler.assemble(input)
    return { prompt, systemFlag }
  })
  const withReport = outcomeOf(() => {
    const { prompt, systemFlag, report } = assembler.assemble(input, { report: true })
    expect(report.promptBytes).toBe(byteLength(prompt))
    expect(report.totalBytes).toBe(byteLength(prompt) + byteLength(systemFlag ?? ''))
    return { prompt, systemFlag }
  })
  const toBuffer = outcomeOf(() => {
    const { prompt, systemFlag } = assembler.assemble(input, { as: 'buffer' })
    return { prompt: prompt.toString('utf8'), systemFlag }
  })
  const into = outcomeOf(() => {
    const memory = Buffer.alloc('prompt' in outcome ? byteLength(outcome.prompt) : 0)
    const { bytes, systemFlag } = assembler.assemble(input, { into: memory })
    expect(bytes).toBe(memory.length)
    return { prompt: memory.toString('utf8'), systemFlag }
  })
  expect(withReport).toEqual(outcome)
  expect(toBuffer).toEqual(outcome)
  expect(into).toEqual(outcome)
  return outcome
}
