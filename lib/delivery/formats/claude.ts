/**
 * What Claude Code writes, and Qwen Code in the same form: events, of which `result` is the last,
 * or that one alone, or all in an array. A background task may lead to several results.
 */
import { cliError, OUTPUT_LIMIT } from '../cli-errors.js'
import { present } from '../../present.js'
import {
  amountOf,
  arrayOf,
  byType,
  contentText,
  countOf,
  type Fields,
  type MakeFormat,
  objectOf,
  Streamed,
  sumOf,
  textOf,
  Turn,
  usageOf,
  usageSum,
} from './format.js'
import type { CliUsage, Denial, FinishReason } from '../events.js'

/** What `stop_reason` says about the end. Any other value, or none, is a normal end. */
const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refused'],
])

/** What Qwen says of a tool that was not allowed; Claude has an event for that. */
const DECLINED = /requires permission to use .{1,80} permission was declined/

/** The model of messages that the CLI itself has written. */
const SYNTHETIC = '<synthetic>'

/** The call of the sub-agent that an event comes from. */
const parentOf = (event: Fields) => textOf(event['parent_tool_use_id'])

/** Whether the agent itself says it. */
const isOwn = (event: Fields) => event['type'] === 'assistant' && parentOf(event) === undefined

/** @param form Whether `input_tokens` excludes cached tokens. */
export const claudeFormat =
  ({ countsCachedApart }: { countsCachedApart: boolean }): MakeFormat =>
  (emit) => {
    const turn = new Turn(emit)
    const { outcome } = turn
    /** The texts of the results. */
    const texts: string[] = []
    /** The usage of each result. */
    const usages: (CliUsage | undefined)[] = []
    /** The cost of all results. */
    let cost = 0
    const denials: Map<string, Denial> = new Map()
    /** Text that arrived in pieces and arrives again as a whole. */
    const streamed = new Streamed(turn)

    const usageFrom = (usage: Fields) => {
      const {
        input_tokens: input,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: written,
        output_tokens: output,
      } = usage
      return usageOf({
        inputTokens: countsCachedApart ? sumOf([input, cached, written]) : countOf(input),
        cachedInputTokens: countOf(cached),
        cacheWriteTokens: countOf(written),
        outputTokens: countOf(output),
        reasoningTokens: countOf(objectOf(usage['output_tokens_details'])['thinking_tokens']),
      })
    }

    /** The usage of all models, sub-agents included. */
    const usageOfModels = (byModel: unknown) => {
      const models = Object.values(objectOf(byModel)).map(objectOf)
      const sum = (...names: string[]) => sumOf(models.flatMap((model) => names.map((name) => model[name])))
      return usageOf({
        inputTokens: sum('inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'),
        cachedInputTokens: sum('cacheReadInputTokens'),
        cacheWriteTokens: sum('cacheCreationInputTokens'),
        outputTokens: sum('outputTokens'),
        reasoningTokens: sum('thinkingTokens'),
      })
    }

    /**
     * Notes what the turn has used so far. Newer versions count the session, and report what was added
     * since the last result; older ones count the run.
     */
    const noteUsage = (result: Fields) => {
      const { model_usage_since_last_result: sinceLast, modelUsage } = result
      usages.push(usageOfModels(sinceLast) ?? usageFrom(objectOf(result['usage'])))
      const isOfRun = sinceLast === undefined
      outcome.usage = (isOfRun ? usageOfModels(modelUsage) : undefined) ?? usageSum(usages)
      for (const model of Object.values(objectOf(sinceLast))) cost += amountOf(objectOf(model)['costUSD']) ?? 0
      outcome.costUsd = isOfRun ? amountOf(result['total_cost_usd']) : cost
      if (outcome.usage !== undefined) emit({ type: 'usage', ...outcome.usage, raw: result })
    }

    const readResult = (result: Fields) => {
      const { num_turns: turns, is_error: isError, errors } = result
      noteUsage(result)
      outcome.sessionId = textOf(result['session_id']) ?? outcome.sessionId
      outcome.finishReason = FINISH_REASONS.get(result['stop_reason'])
      for (const each of arrayOf(result['permission_denials']).map(objectOf)) {
        const id = textOf(each['tool_use_id'])
        const denial = { name: textOf(each['tool_name']) ?? 'a tool', ...(id && { id }), input: each['tool_input'] }
        denials.set(id ?? String(denials.size), denial)
      }
      outcome.denials = [...denials.values()]

      const text = textOf(result['result'])
      outcome.error = undefined
      outcome.reason = undefined
      outcome.isUnsent = false
      if (isError === true || typeof result['result'] !== 'string') {
        const message =
          textOf(objectOf(result['error'])['message']) ?? textOf(arrayOf(errors).filter(textOf).join('\n')) ?? text
        outcome.error = cliError(
          message ?? `the turn ended with ${textOf(result['subtype']) ?? 'an error'}`,
          result['api_error_status'],
        )
        if (OUTPUT_LIMIT.test(outcome.error.message)) outcome.finishReason = 'length'
      } else if (turns === 0) {
        outcome.reason = `the CLI handled the prompt itself${text === undefined ? '' : `: ${text}`}`
        outcome.isUnsent = true
      } else if (text !== undefined) {
        texts.push(text)
      }
      outcome.text = textOf(texts.join('\n\n'))
    }

    const forgetPieces = () => {
      streamed.clear('text')
      streamed.clear('reasoning')
    }

    const readBlock = byType<[event: Fields]>({
      text(block, event) {
        const text = isOwn(event) ? streamed.rest('text', block['text']) : ''
        if (objectOf(event['message'])['model'] === SYNTHETIC) turn.notice(text, event)
        else turn.say('text', text, event)
      },
      thinking(block, event) {
        if (isOwn(event)) turn.say('reasoning', streamed.rest('reasoning', block['thinking']), event)
      },
      tool_use({ id, name, input }, event) {
        turn.call(textOf(id) ?? '', { name: textOf(name) ?? '', input }, event, parentOf(event))
      },
      tool_result({ tool_use_id: toolId, content, is_error: hasFailed }, event) {
        const id = textOf(toolId) ?? ''
        const output = contentText(content)
        const isError = hasFailed === true
        if (isError && DECLINED.test(output)) {
          const { name } = turn.callOf(id)
          emit({ type: 'permission', decision: 'denied', name, id, message: output, raw: event })
        }
        turn.result(id, output, isError, event, parentOf(event))
      },
    })

    const readMessage = (event: Fields) => {
      for (const block of arrayOf(objectOf(event['message'])['content']).map(objectOf)) {
        readBlock(block['type'], block, event)
      }
    }

    const readPiece = (event: Fields) => {
      const piece = objectOf(event['event'])
      if (piece['type'] === 'message_start') forgetPieces()
      if (piece['type'] !== 'content_block_delta' || parentOf(event) !== undefined) return
      const { text, thinking } = objectOf(piece['delta'])
      streamed.say('text', text, event)
      streamed.say('reasoning', thinking, event)
    }

    const readSystem = byType({
      init(event) {
        const [sessionId, model] = [textOf(event['session_id']), textOf(event['model'])]
        if (sessionId !== outcome.sessionId || model !== outcome.model) turn.session(sessionId, event, model)
      },
      api_retry(event) {
        const reason = [event['error'], event['error_status']].filter((each) => textOf(each) ?? countOf(each))
        const [attempt, afterMs] = [countOf(event['attempt']), amountOf(event['retry_delay_ms'])]
        turn.retry(reason.join(' ') || 'retry', event, attempt, afterMs)
      },
      retry(event) {
        const { reason, preserveText } = objectOf(event['data'])
        // The text continues after it.
        if (preserveText === true) return
        forgetPieces()
        turn.retry(textOf(reason) ?? 'retry', event)
      },
      permission_denied(event) {
        const [id, name] = [textOf(event['tool_use_id']), textOf(event['tool_name']) ?? 'a tool']
        const message = textOf(event['message']) ?? ''
        emit(present({ type: 'permission', decision: 'denied', name, id, message, raw: event }))
      },
    })

    const read = byType({
      system: (event) => readSystem(event['subtype'], event),
      assistant: readMessage,
      user: readMessage,
      stream_event: readPiece,
      result: readResult,
    })

    return {
      event(event) {
        read(event['type'], event)
        outcome.sessionId = textOf(event['session_id']) ?? outcome.sessionId
      },
      outcome: () => outcome,
    }
  }
