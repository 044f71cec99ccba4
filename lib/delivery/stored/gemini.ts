/**
 * Reads what Gemini has stored about a session. It repeats a request whose stream was cut off without
 * writing an event, but stores only the message of the request that succeeded.
 */
import { open, readdir } from 'node:fs/promises'
import path = require('node:path')
import { homeDirectory } from '../../process.js'

/** How much of the end of a file is read. Longer answers are not found. */
const MAX_BYTES = 8 * 1024 * 1024

/** More than the first line takes up to the id. */
const HEAD_BYTES = 512

const namesIn = (folder: string) => readdir(folder).catch(() => [] as string[])

const messageIn = (line: string): string | undefined => {
  try {
    const { type, content } = JSON.parse(line)
    return type === 'gemini' && typeof content === 'string' ? content : undefined
  } catch {
    // The first line may have lost its beginning.
    return undefined
  }
}

const lastMessage = async (file: string, sessionId: string) => {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const head = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    if (!head.buffer.toString().includes(JSON.stringify(sessionId))) return undefined
    const start = Math.max(0, size - MAX_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start)
    for (const line of buffer.toString('utf8', 0, bytesRead).split('\n').toReversed()) {
      const message = messageIn(line)
      if (message !== undefined) return message
    }
    return undefined
  } finally {
    await handle.close()
  }
}

/**
 * @param env Of the CLI.
 * @returns Undefined if it cannot be found.
 */
export const storedByGemini = async (
  sessionId: string,
  env: Record<string, string | undefined>,
): Promise<string | undefined> => {
  const home = env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? env['USERPROFILE'] ?? homeDirectory()
  if (home === undefined) return undefined
  const projects = path.join(home, '.gemini', 'tmp')
  const end = `-${sessionId.slice(0, 8)}.jsonl`
  for (const project of await namesIn(projects)) {
    const chats = path.join(projects, project, 'chats')
    // oxlint-disable-next-line no-await-in-loop -- there are few, and the right one ends it
    for (const name of (await namesIn(chats)).filter((each) => each.endsWith(end))) {
      // oxlint-disable-next-line no-await-in-loop -- the same
      const message = await lastMessage(path.join(chats, name), sessionId).catch(() => undefined)
      if (message !== undefined) return message
    }
  }
  return undefined
}
