/** The facts of a turn as span attributes, named by OpenTelemetry's conventions for generative AI. */
import { present } from '../present.js'
import type { DeliveryResult } from '../delivery/events.js'
import type { AskedMember } from './members.js'

/** Span attributes that follow the OpenTelemetry conventions for generative AI. */
export interface TurnTelemetry {
  'gen_ai.operation.name': 'invoke_agent'
  'gen_ai.agent.name': string
  'gen_ai.agent.id': string
  'gen_ai.conversation.id': string
  'gen_ai.request.model'?: string
  'gen_ai.response.model'?: string
  'gen_ai.response.finish_reasons'?: string[]
  'gen_ai.usage.input_tokens'?: number
  'gen_ai.usage.output_tokens'?: number
  'gen_ai.usage.cache_read.input_tokens'?: number
  'gen_ai.usage.cache_creation.input_tokens'?: number
  'error.type'?: string
}

/** What is known of an answer. */
export type Reported = Partial<Pick<DeliveryResult, 'usage' | 'model' | 'finishReason'>>

export const telemetryOf = (
  conversation: string,
  { name, definition }: AskedMember,
  { usage = {}, model, finishReason }: Reported = {},
  errorType?: string,
): TurnTelemetry =>
  present({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': name,
    'gen_ai.agent.id': name,
    'gen_ai.conversation.id': conversation,
    'gen_ai.request.model': definition.model,
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'error.type': errorType,
  })
