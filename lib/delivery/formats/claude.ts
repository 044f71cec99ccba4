/**
 * What Claude Code writes, and Qwen Code in the same form: events, of which `result` is the last,
 * or that one alone, or all in an array. A background task may lead to several results.
 */
import { OUTPUT_LIMIT, cliError } from '../cli-errors.js'
import { present } from '../../present.js'
import { amountOf, arrayOf, byType, contentText, countOf, objectOf } from './format.js'
import { type Fields, type Format, tableOf, textOf, usageOf, usageSum } from './format.js'
import type { CliUsage, Denial, FinishReason } from '../events.js'

/** What `stop_reason` says about the end. Any other value, or none, is a normal end. */
const FINISH_REASONS = tableOf<FinishReason>({
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
})

/** What Qwen says of a tool that was not allowed; Claude has an event for that. */
const DECLINED = /requires permission to use .{1,80} permission was declined/

/** The model of messages that the CLI itself has written. */
const SYNTHETIC = '<synthetic>'

/** @param form Whether `input_tokens` excludes cached tokens. */
export const claudeFormat =
  ({ countsCachedApart }: { countsCachedApart: boolean }): Format =>
  (turn) => {
    const { outcome } = turn
    /** Of all results so far. */
    let [answer, used, cost]: [string | undefined, CliUsage | undefined, number] = [undefined, undefined, 0]
    const denials: Denial[] = []
    const denied: Set<string> = new Set()

    /** The call of the sub-agent that an event comes from. */
    const parent = () => textOf(turn.raw.parent_tool_use_id)
    /** Whether the agent itself says it. */
    const isOwn = () => turn.raw.type === 'assistant' && parent() === undefined

    const usageFrom = (usage: Fields) => {
      const { input_tokens: input, cache_read_input_tokens: cached, cache_creation_input_tokens: written } = usage
      return usageOf({
        input: countsCachedApart ? [input, cached, written] : input,
        cached,
        written,
        output: usage.output_tokens,
        reasoning: objectOf(usage.output_tokens_details).thinking_tokens,
      })
    }

    /** The usage of all models, sub-agents included. */
    const usageOfModels = (byModel: unknown) => {
      const models = Object.values(objectOf(byModel)).map(objectOf)
      const all = (...names: string[]) => models.flatMap((model) => names.map((name) => model[name]))
      return usageOf({
        input: all('inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'),
        cached: all('cacheReadInputTokens'),
        written: all('cacheCreationInputTokens'),
        output: all('outputTokens'),
        reasoning: all('thinkingTokens'),
      })
    }

    /**
     * Notes what the turn has used so far. Newer versions count the session, and report what was added
     * since the last result; older ones count the run.
     */
    const noteUsage = ({
      model_usage_since_last_result: sinceLast,
      modelUsage,
      usage,
      total_cost_usd: total,
    }: Fields) => {
      used = usageSum([used, usageOfModels(sinceLast) ?? usageFrom(objectOf(usage))])
      const isOfRun = sinceLast === undefined
      outcome.usage = (isOfRun ? usageOfModels(modelUsage) : undefined) ?? used
      for (const model of Object.values(objectOf(sinceLast))) cost += amountOf(objectOf(model).costUSD) ?? 0
      outcome.costUsd = isOfRun ? amountOf(total) : cost
      if (outcome.usage !== undefined) turn.emit({ type: 'usage', ...outcome.usage })
    }

    const readResult = (result: Fields) => {
      const { num_turns: turns, is_error: isError, errors, subtype } = result
      noteUsage(result)
      outcome.finishReason = FINISH_REASONS.get(result.stop_reason)
      for (const each of arrayOf(result.permission_denials).map(objectOf)) {
        const id = textOf(each.tool_use_id)
        const denial = { name: textOf(each.tool_name) ?? 'a tool', ...(id && { id }), input: each.tool_input }
        if (id === undefined || !denied.has(id)) denials.push(denial)
        if (id !== undefined) denied.add(id)
      }
      outcome.denials = denials

      const text = textOf(result.result)
      outcome.error = undefined
      outcome.reason = undefined
      outcome.isUnsent = false
      if (isError === true || typeof result.result !== 'string') {
        const reported =
          textOf(objectOf(result.error).message) ?? textOf(arrayOf(errors).filter(textOf).join('\n')) ?? text
        const message = reported ?? `the turn ended with ${textOf(subtype) ?? 'an error'}`
        outcome.error = cliError(message, result.api_error_status)
        if (OUTPUT_LIMIT.test(outcome.error.message)) outcome.finishReason = 'length'
      } else if (turns === 0) {
        outcome.reason = `the CLI handled the prompt itself${text === undefined ? '' : `: ${text}`}`
        outcome.isUnsent = true
      } else if (text !== undefined) {
        answer = answer === undefined ? text : `${answer}\n\n${text}`
      }
      outcome.text = answer
    }

    const readBlock = byType({
      text(block) {
        const text = isOwn() ? turn.rest('text', block.text) : ''
        if (objectOf(turn.raw.message).model === SYNTHETIC) turn.notice(text)
        else turn.say('text', text)
      },
      thinking({ thinking }) {
        if (isOwn()) turn.say('reasoning', turn.rest('reasoning', thinking))
      },
      tool_use: ({ id, name, input }) => turn.call(id, { name, input }, parent()),
      tool_result({ tool_use_id: toolId, content, is_error: hasFailed }) {
        const id = textOf(toolId) ?? ''
        const message = contentText(content)
        const isError = hasFailed === true
        if (isError && DECLINED.test(message)) {
          turn.emit({ type: 'permission', decision: 'denied', name: turn.callOf(id).name, id, message })
        }
        turn.result(id, message, isError, parent())
      },
    })

    const readMessage = ({ message }: Fields) => {
      for (const block of arrayOf(objectOf(message).content)) readBlock(objectOf(block))
    }

    const readSystem = byType({
      init({ session_id: id, model }) {
        if (textOf(id) !== outcome.sessionId || textOf(model) !== outcome.model) turn.session(id, model)
      },
      api_retry({ error, error_status: status, attempt, retry_delay_ms: delayMs }) {
        const reason = [error, status].filter((each) => textOf(each) ?? countOf(each))
        turn.retry(reason.join(' '), attempt, delayMs)
      },
      retry({ data }) {
        const { reason, preserveText } = objectOf(data)
        // The text continues after it.
        if (preserveText === true) return
        turn.forgetPieces('text', 'reasoning')
        turn.retry(reason)
      },
      permission_denied(event) {
        const [id, name] = [textOf(event.tool_use_id), textOf(event.tool_name) ?? 'a tool']
        const message = textOf(event.message) ?? ''
        turn.emit(present({ type: 'permission', decision: 'denied', name, id, message }))
      },
    })

    const read = byType({
      system: (event) => readSystem(event, event.subtype),
      assistant: readMessage,
      user: readMessage,
      stream_event({ event }) {
        const { type, delta } = objectOf(event)
        if (type === 'message_start') turn.forgetPieces('text', 'reasoning')
        if (type !== 'content_block_delta' || parent() !== undefined) return
        const { text, thinking } = objectOf(delta)
        turn.sayPiece('text', text)
        turn.sayPiece('reasoning', thinking)
      },
      result: readResult,
    })

    return (event) => {
      read(event)
      outcome.sessionId = textOf(event.session_id) ?? outcome.sessionId
    }
  }
