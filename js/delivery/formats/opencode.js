'use strict'
/** What opencode writes: the parts of each step. A turn ends with a step that calls no tool. */
const { cliError, interrupted, permissionDenied } = require('../cli-errors.js')
const { amountOf, contentText, countOf, objectOf, sumOf, textOf, usageOf, usageSum } = require('./values.js')

/** Why a step has ended, if that is the end of the turn. Any other reason tells nothing. */
/** @type {ReadonlyMap<unknown, import('../../../index.d.ts').FinishReason>} */
const FINISH_REASONS = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'refused'],
])

/** After this many steps in a row that ended without a reason, it continues forever. */
const MAX_UNKNOWN = 3

/** What a tool says that was not allowed. */
const DENIED = /rejected permission|permission .{0,40}(?:denied|rejected)|prevents you from using/i

/** @type {import('../read-output.js').MakeFormat} */
const opencodeFormat = (emit) => {
  /** @type {import('../read-output.js').Outcome} */
  const outcome = {}
  /** @type {string[]} */
  let texts = []
  /** @type {(import('../../../index.d.ts').CliUsage | undefined)[]} */
  const usages = []
  /** @type {import('../../../index.d.ts').Denial[]} */
  const denials = []
  let unknown = 0

  /** @param {Record<string, unknown>} event */
  const noteSession = (event) => {
    const sessionId = textOf(event['sessionID'])
    if (sessionId === undefined || sessionId === outcome.sessionId) return
    outcome.sessionId = sessionId
    emit({ type: 'session', sessionId, raw: event })
  }

  /** @param {Record<string, unknown>} event */
  const readTool = (event) => {
    const part = objectOf(event['part'])
    const state = objectOf(part['state'])
    const [id, name] = [textOf(part['callID']) ?? '', textOf(part['tool']) ?? '']
    const { input } = state
    emit({ type: 'tool-call', id, name, input, raw: event })
    const error = textOf(state['error'])
    if (error !== undefined && DENIED.test(error)) {
      denials.push({ name, id, input })
      outcome.denials = denials
      emit({ type: 'permission', decision: 'denied', name, id, message: error, raw: event })
    }
    const exitCode = objectOf(state['metadata'])['exit']
    const isError = state['status'] === 'error' || (typeof exitCode === 'number' && exitCode !== 0)
    const output = contentText(state['output'] ?? error ?? '')
    emit({ type: 'tool-result', id, output, ...(isError && { isError }), raw: event })
  }

  /** @param {Record<string, unknown>} event */
  const readFinish = (event) => {
    const part = objectOf(event['part'])
    const { input, output, reasoning, cache } = objectOf(part['tokens'])
    const { read, write } = objectOf(cache)
    const usage = usageOf({
      inputTokens: sumOf([input, read, write]),
      cachedInputTokens: countOf(read),
      cacheWriteTokens: countOf(write),
      outputTokens: sumOf([output, reasoning]),
      reasoningTokens: countOf(reasoning),
    })
    usages.push(usage)
    if (usage !== undefined) emit({ type: 'usage', ...usage, raw: event })
    const cost = amountOf(part['cost'])
    if (cost !== undefined && cost > 0) outcome.costUsd = (outcome.costUsd ?? 0) + cost

    const { reason } = part
    const finishReason = FINISH_REASONS.get(reason)
    outcome.text = finishReason === undefined ? undefined : textOf(texts.join('\n\n'))
    outcome.finishReason = finishReason
    // Earlier failures were retried.
    outcome.error = undefined
    const isUnknown = finishReason === undefined && reason !== 'tool-calls'
    unknown = isUnknown ? unknown + 1 : 0
    if (isUnknown) {
      outcome.error = interrupted(
        `the answer was cut off: the step ended with the reason ${textOf(reason) ?? 'unknown'}`,
      )
      emit({ type: 'retry', reason: 'the answer was cut off', raw: event })
    } else if (reason === 'tool-calls' && denials.length > 0) {
      // After that, it ends without an answer.
      outcome.error = permissionDenied(denials)
    }
  }

  return {
    event(event) {
      noteSession(event)
      const part = objectOf(event['part'])
      switch (event['type']) {
        case 'step_start':
          texts = []
          break
        case 'text': {
          const text = textOf(part['text'])
          if (text === undefined) break
          texts.push(text)
          emit({ type: 'text', text, raw: event })
          break
        }
        case 'reasoning': {
          const text = textOf(part['text'])
          if (text !== undefined) emit({ type: 'reasoning', text, raw: event })
          break
        }
        case 'tool_use':
          readTool(event)
          break
        case 'step_finish':
          readFinish(event)
          break
        case 'error': {
          const error = objectOf(event['error'])
          const { message, statusCode } = objectOf(error['data'])
          outcome.error = cliError([error['name'], message].filter(textOf).join(': ') || 'the turn failed', statusCode)
          outcome.text = undefined
          break
        }
        default:
      }
    },
    isStuck: () => unknown >= MAX_UNKNOWN,
    outcome: () => ({ ...outcome, usage: usageSum(usages) }),
  }
}

module.exports = { opencodeFormat }
