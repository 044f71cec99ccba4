/** The facts of a turn as span attributes, named by OpenTelemetry's conventions for generative AI. */
import type { Member } from './members.js'

const given = (attributes: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))

export const telemetryOf = ({
  conversation,
  member,
  result,
  errorType,
}: {
  conversation: string
  member: Member
  result?: any
  errorType?: string
}) => {
  const usage = result?.usage ?? {}
  const finishReason = result?.finishReason
  return given({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': member.name,
    'gen_ai.agent.id': member.name,
    'gen_ai.conversation.id': conversation,
    'gen_ai.request.model': member.definition.model,
    'gen_ai.response.model': result?.model,
    'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'error.type': errorType,
  })
}
