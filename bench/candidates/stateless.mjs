/**
 * A conversation for candidates that keep nothing between calls: a growing array, and the newest
 * message separately, as a coordinator would keep them.
 */

/**
 * @typedef {import('../workloads.mjs').Fixed} Fixed
 * @typedef {import('../workloads.mjs').Message} Message
 * @typedef {object} Conversation
 * @property {(message: Message) => void} add
 * @property {() => string | Promise<string>} [string] The prompt as a string.
 * @property {() => Uint8Array | Promise<Uint8Array>} [bytes] The prompt as new bytes.
 * @property {(buffer: Buffer) => number} [into] Writes the prompt to the caller's buffer and returns the number of bytes.
 * @typedef {Fixed & { contextMessages: Message[], currentMessage: string }} Input
 */

/**
 * @param {Fixed} fixed
 * @param {{
 *   string?: (input: Input) => string | Promise<string>,
 *   bytes?: (input: Input) => Uint8Array | Promise<Uint8Array>,
 *   into?: (input: Input, buffer: Buffer) => number,
 * }} forms
 * @returns {Conversation}
 */
export function statelessConversation({ systemInstruction, teamTask, maxBytes }, { string, bytes, into }) {
  /** @type {Message[]} */
  const contextMessages = []
  /** @type {Message | undefined} */
  let current
  const input = () => ({
    contextMessages,
    currentMessage: current?.content ?? '',
    teamTask,
    systemInstruction,
    maxBytes,
  })
  return {
    add(message) {
      if (current) contextMessages.push(current)
      current = message
    },
    string: string && (() => string(input())),
    bytes: bytes && (() => bytes(input())),
    into: into && ((buffer) => into(input(), buffer)),
  }
}
