/**
 * What a request has of the conversation, whatever the form of its API: texts, calls of tools with
 * their results, and who said them.
 */

/** A call of a tool, with what went back to the model as its result. */
export interface WireCall {
  name: string
  input: unknown
  output?: string
}

export interface WireMessage {
  by: 'user' | 'agent'
  texts: string[]
  calls: WireCall[]
}

const texts = (content: unknown): string[] => {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: any) =>
    typeof part === 'string' ? [part] : typeof part.text === 'string' && part.thought !== true ? [part.text] : [],
  )
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Messages, with each result in the message of its call. */
class Conversation {
  readonly messages: WireMessage[] = []
  readonly #open = new Map<string, WireCall>()
  /** Whether what the agent says next begins a message. */
  #isAgentDone = true

  say(by: WireMessage['by'], said: readonly string[]): WireMessage {
    const last = this.messages.at(-1)
    if (by === 'agent' && last?.by === 'agent' && !this.#isAgentDone) {
      last.texts.push(...said)
      return last
    }
    const message = { by, texts: [...said], calls: [] }
    this.messages.push(message)
    this.#isAgentDone = by === 'user'
    return message
  }

  /** What the agent says next is another message. */
  endAnswer(): void {
    this.#isAgentDone = true
  }

  call(id: string, name: string, input: unknown): void {
    const call = { name, input }
    this.say('agent', []).calls.push(call)
    this.#open.set(id, call)
  }

  result(id: string, output: unknown): void {
    const call = this.#open.get(id)
    this.#open.delete(id)
    this.#isAgentDone = true
    const said = texts(output)
    if (call !== undefined) call.output = said.length > 0 ? said.join('\n') : JSON.stringify(output)
  }
}

const ofAnthropic = (body: any, conversation: Conversation): void => {
  for (const { role, content } of body.messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    if (role === 'user') {
      for (const block of blocks)
        if (block.type === 'tool_result') conversation.result(block.tool_use_id, block.content ?? '')
      const said = texts(blocks)
      if (said.length > 0) conversation.say('user', said)
    } else if (role === 'assistant') {
      conversation.endAnswer()
      conversation.say('agent', texts(blocks))
      for (const block of blocks) if (block.type === 'tool_use') conversation.call(block.id, block.name, block.input)
      conversation.endAnswer()
    }
  }
}

const ofResponses = (body: any, conversation: Conversation): void => {
  for (const item of body.input) {
    if (item.type === 'function_call') conversation.call(item.call_id, item.name, parsed(item.arguments))
    else if (item.type === 'function_call_output') conversation.result(item.call_id, item.output)
    else if (item.role === 'user' || item.role === 'assistant')
      conversation.say(item.role === 'user' ? 'user' : 'agent', texts(item.content))
  }
}

const ofCompletions = (body: any, conversation: Conversation): void => {
  for (const { role, content, tool_calls: calls = [], tool_call_id: id } of body.messages) {
    if (role === 'tool') conversation.result(id, content)
    else if (role === 'user') conversation.say('user', texts(content))
    else if (role === 'assistant') {
      conversation.endAnswer()
      conversation.say('agent', texts(content))
      for (const call of calls) conversation.call(call.id, call.function.name, parsed(call.function.arguments))
      conversation.endAnswer()
    }
  }
}

const ofGemini = (body: any, conversation: Conversation): void => {
  for (const { role, parts } of body.contents) {
    if (role === 'model') {
      conversation.endAnswer()
      conversation.say('agent', texts(parts))
      for (const { functionCall } of parts)
        if (functionCall !== undefined) conversation.call(functionCall.id, functionCall.name, functionCall.args)
      conversation.endAnswer()
    } else {
      for (const { functionResponse } of parts) {
        if (functionResponse === undefined) continue
        const { id, response } = functionResponse
        conversation.result(id, response?.output ?? response?.error ?? response)
      }
      const said = texts(parts)
      if (said.length > 0) conversation.say('user', said)
    }
  }
}

/** The conversation that a request has. */
export const conversationIn = (body: any): WireMessage[] => {
  const conversation = new Conversation()
  if (Array.isArray(body?.input)) ofResponses(body, conversation)
  else if (Array.isArray(body?.contents)) ofGemini(body, conversation)
  else if (Array.isArray(body?.system) || body?.anthropic_version !== undefined) ofAnthropic(body, conversation)
  else if (Array.isArray(body?.messages)) ofCompletions(body, conversation)
  return conversation.messages
}
