/** `contextBudget`: trims what the AI SDK sends to a model. The AI SDK itself is not loaded. */
import { fields } from '../checks/fields.js'
import { func, type Kind, optional } from '../checks/kinds.js'
import { type CheckedTokenizer, tokenizer, type Tokenizer } from '../tokens/tokenizer.js'
import { budgetTable, type ListBudget, needTokenizer } from './budget.js'
import { trimList } from './trim.js'
import type { TrimReport } from './trim-messages.js'

export interface ContextBudgetOptions extends ListBudget {
  /** What counts tokens. */
  tokenizer: Tokenizer
  /**
   * Called whenever messages are dropped.
   * @default undefined
   */
  onTrim?: ((report: TrimReport) => void) | null | undefined
}

/** A missing one is reported after everything else. */
const givenTokenizer: Kind<CheckedTokenizer | undefined, Tokenizer> = (...place) => optional(tokenizer)(...place)

const budgetOptions = fields<ContextBudgetOptions>()(
  {
    maxTokens: budgetTable.maxTokens,
    tokenizer: givenTokenizer,
    fileTokens: budgetTable.fileTokens,
    onTrim: optional(func<(report: TrimReport) => void>()),
  },
  { required: true },
)

/** A `LanguageModelMiddleware` of the AI SDK. */
export interface ContextBudgetMiddleware {
  readonly specificationVersion: 'v3'
  transformParams<Params extends { prompt: object[] }>(call: { params: Params }): Promise<Params>
}

/**
 * Creates middleware for `wrapLanguageModel` of the AI SDK that keeps every model call within
 * `maxTokens`, including the steps of an agent. It trims like `trimMessages`. Tool definitions count.
 */
export function contextBudget(options: ContextBudgetOptions): ContextBudgetMiddleware {
  const { onTrim, ...budget } = budgetOptions(options, '', 'options')
  const shared = {
    ...budget,
    tokenizer: needTokenizer('ai-sdk', budget.tokenizer),
    as: 'ai-sdk',
    system: undefined,
  } as const
  return {
    specificationVersion: 'v3',
    transformParams: async ({ params }) => {
      const { prompt, tools } = params as typeof params & { tools?: unknown }
      const trimmed = trimList({ ...shared, list: prompt, tools, report: onTrim !== undefined })
      if (trimmed.report !== undefined && trimmed.report.dropped.length > 0) onTrim?.(trimmed.report)
      return { ...params, prompt: trimmed.messages }
    },
  }
}
