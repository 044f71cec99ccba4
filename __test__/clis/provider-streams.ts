/**
 * One answer of a provider in the form of its API: what the model thinks, says and calls, and how
 * the stream ends.
 */

export interface ToolCall {
  name: string
  /** The group of tools that it belongs to, where the API has such. */
  namespace?: string
  input: Record<string, unknown>
}

/** What the model does in answer to one request. */
export interface Step {
  reasoning?: string
  /** Each piece is an event of its own, if it is streamed. */
  text?: string | readonly string[]
  tools?: readonly ToolCall[]
  /**
   * Why it ends. A `cut` stream ends in the middle: without a reason, and without usage. `silent`
   * never ends and sends nothing.
   * @default 'stop'
   */
  end?: 'stop' | 'length' | 'refused' | 'cut' | 'silent'
  /**
   * Tokens of the request, as the answer claims: CLIs compact a session when there are too many.
   * @default TOKENS.input
   */
  inputTokens?: number
}

/** Tokens that every answer claims: the recorded streams have the same. */
export const TOKENS = { input: 101, cached: 7, output: 23 }

const sse = (events: readonly object[], named = false): string[] =>
  events.map(
    (event) => `${named ? `event: ${(event as { type: string }).type}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
  )

const piecesOf = ({ text }: Step): readonly string[] =>
  text === undefined ? [] : typeof text === 'string' ? [text] : text

const isUnfinished = ({ end }: Step): boolean => end === 'cut' || end === 'silent'

/** A new id for each tool call: some CLIs drop a call whose id they have seen. */
let calls = 0
const callId = (prefix: string): string => `${prefix}${++calls}`

const anthropicBlock = (index: number, start: object, deltas: readonly object[]): object[] => [
  { type: 'content_block_start', index, content_block: start },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]

const ANTHROPIC_ENDS = { stop: 'end_turn', length: 'max_tokens', refused: 'refusal' }

export const anthropic = (step: Step): string[] => {
  const { reasoning, tools = [], end = 'stop', inputTokens = TOKENS.input } = step
  const usage = {
    input_tokens: inputTokens,
    cache_read_input_tokens: TOKENS.cached,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  }
  const message = {
    id: callId('msg_'),
    type: 'message',
    role: 'assistant',
    model: 'stand-in',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
  const blocks: [object, object[]][] = []
  if (reasoning !== undefined) {
    blocks.push([
      { type: 'thinking', thinking: '', signature: '' },
      [
        { type: 'thinking_delta', thinking: reasoning },
        { type: 'signature_delta', signature: 'signature' },
      ],
    ])
  }
  if (piecesOf(step).length > 0)
    blocks.push([{ type: 'text', text: '' }, piecesOf(step).map((text) => ({ type: 'text_delta', text }))])
  for (const { name, input } of tools) {
    blocks.push([
      { type: 'tool_use', id: callId('toolu_'), name, input: {} },
      [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
    ])
  }
  const events = [
    { type: 'message_start', message },
    ...blocks.flatMap(([start, deltas], index) => anthropicBlock(index, start, deltas)),
  ]
  // The last block stays open.
  if (isUnfinished(step)) return sse(events.slice(0, -1), true)
  const reason = tools.length > 0 ? 'tool_use' : ANTHROPIC_ENDS[end as keyof typeof ANTHROPIC_ENDS]
  return sse(
    [
      ...events,
      {
        type: 'message_delta',
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: TOKENS.output },
      },
      { type: 'message_stop' },
    ],
    true,
  )
}

export const responses = (step: Step): string[] => {
  const { reasoning, tools = [], end, inputTokens = TOKENS.input } = step
  const id = callId('resp_')
  const events: object[] = [{ type: 'response.created', response: { id } }]
  if (reasoning !== undefined) {
    const item = { type: 'reasoning', id: callId('rs_'), summary: [{ type: 'summary_text', text: reasoning }] }
    events.push({ type: 'response.output_item.done', item })
  }
  const pieces = piecesOf(step)
  if (pieces.length > 0) {
    const item = { type: 'message', role: 'assistant', id: callId('item_') }
    const whole = { ...item, content: [{ type: 'output_text', text: pieces.join('') }] }
    events.push(
      { type: 'response.output_item.added', item: { ...item, content: [] } },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', item_id: item.id, delta })),
    )
    if (!isUnfinished(step)) events.push({ type: 'response.output_item.done', item: whole })
  }
  for (const { input, ...tool } of tools) {
    const item = { type: 'function_call', call_id: callId('call_'), ...tool, arguments: JSON.stringify(input) }
    events.push({ type: 'response.output_item.done', item })
  }
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: TOKENS.cached },
    output_tokens: TOKENS.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + TOKENS.output,
  }
  if (isUnfinished(step)) return sse(events, true)
  if (end === 'length' || end === 'refused') {
    const reason = end === 'length' ? 'max_output_tokens' : 'content_filter'
    const response = { id, status: 'incomplete', incomplete_details: { reason }, usage }
    return sse([...events, { type: 'response.incomplete', response }], true)
  }
  return sse([...events, { type: 'response.completed', response: { id, usage } }], true)
}

const COMPLETIONS_ENDS = { stop: 'stop', length: 'length', refused: 'content_filter' }

export const completions = (step: Step, stream: boolean): string[] => {
  const { reasoning, tools = [], end = 'stop', inputTokens = TOKENS.input } = step
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: TOKENS.output,
    total_tokens: inputTokens + TOKENS.output,
    prompt_tokens_details: { cached_tokens: TOKENS.cached },
  }
  const chunk = { id: callId('c'), object: 'chat.completion.chunk', created: 1, model: 'stand-in' }
  const toolCalls = tools.map(({ name, input }, index) => ({
    index,
    id: callId('call_'),
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const reason = tools.length > 0 ? 'tool_calls' : COMPLETIONS_ENDS[end as keyof typeof COMPLETIONS_ENDS]
  if (!stream) {
    const content = piecesOf(step).join('')
    const message = {
      role: 'assistant',
      content: content === '' && tools.length > 0 ? null : content,
      ...(tools.length > 0 ? { tool_calls: toolCalls.map(({ index: _index, ...call }) => call) } : {}),
    }
    const choices = [{ index: 0, message, finish_reason: reason }]
    return [JSON.stringify({ ...chunk, object: 'chat.completion', choices, usage })]
  }
  const deltas = [
    ...(reasoning === undefined ? [] : [{ role: 'assistant', reasoning_content: reasoning }]),
    ...piecesOf(step).map((content) => ({ role: 'assistant', content })),
    ...(toolCalls.length === 0 ? [] : [{ role: 'assistant', tool_calls: toolCalls }]),
  ]
  const event = (delta: object, reasonOf: string | null): object => ({
    ...chunk,
    choices: [{ index: 0, delta, finish_reason: reasonOf }],
  })
  const events = deltas.map((delta) => event(delta, null))
  if (isUnfinished(step)) return sse(events)
  return [...sse([...events, event({}, reason), { ...chunk, choices: [], usage }]), 'data: [DONE]\n\n']
}

const GEMINI_ENDS = { stop: 'STOP', length: 'MAX_TOKENS', refused: 'SAFETY' }

export const gemini = (step: Step, stream: boolean): string[] => {
  const { reasoning, tools = [], end = 'stop', inputTokens = TOKENS.input } = step
  const usageMetadata = {
    promptTokenCount: inputTokens,
    cachedContentTokenCount: TOKENS.cached,
    candidatesTokenCount: TOKENS.output,
    totalTokenCount: inputTokens + TOKENS.output,
  }
  const parts = [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    ...piecesOf(step).map((text) => ({ text })),
    ...tools.map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ]
  const candidate = (some: readonly object[], isLast: boolean): object => ({
    candidates: [
      {
        content: { role: 'model', parts: some },
        index: 0,
        ...(isLast && !isUnfinished(step) ? { finishReason: GEMINI_ENDS[end as keyof typeof GEMINI_ENDS] } : {}),
      },
    ],
    modelVersion: 'stand-in',
    ...(isLast && !isUnfinished(step) ? { usageMetadata } : {}),
  })
  if (!stream) return [JSON.stringify(candidate(parts, true))]
  if (parts.length === 0) return sse([candidate([{ text: '' }], true)])
  return sse(parts.map((part, index) => candidate([part], index === parts.length - 1)))
}
