/** Programs that stand in for CLIs, for the examples of the READMEs. Not for Windows. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root } from './documents.js'

const CODEX = `process.stdin.resume().on('end', () => {
  for (const event of [
    { type: 'thread.started', thread_id: '1' },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: '1', type: 'agent_message', text: 'In a cookie.' } },
    { type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
  ]) console.log(JSON.stringify(event))
})`

/** Writes `claude` and `codex` into a folder. Returns a PATH that begins with it. */
export const standInPath = (folder: string, path = process.env.PATH ?? ''): string => {
  const bin = join(folder, 'stand-ins')
  mkdirSync(bin, { recursive: true })
  const scripted = join(root, 'examples', 'agents', 'scripted.mjs')
  const write = (name: string, ...args: string[]) => {
    const quoted = [process.execPath, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    writeFileSync(join(bin, name), `#!/bin/sh\n[ "$1" = --version ] && exit 1\nexec ${quoted.join(' ')}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  write('claude', scripted)
  write('codex', '-e', CODEX)
  return [bin, path].join(delimiter)
}
