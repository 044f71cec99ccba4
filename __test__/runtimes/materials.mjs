/** What the checks share: an input with its prompt, a folder, a program that stands in for a CLI. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One, two, three and four bytes per character, and characters that are made of several. */
export const MIXED = 'ASCII, Ünïcode, 中文, 🔑👨‍👩‍👧'

/** @type {import('../../index.d.ts').AssemblerInput} */
export const INPUT = {
  contextMessages: [{ from: 'max', content: MIXED }],
  currentMessage: 'Go on.',
  teamTask: null,
  systemInstruction: 'Be brief.',
  maxBytes: 10_000,
}

/** What Codex gets of it. */
export const PROMPT = `[SYSTEM]\nBe brief.\n\n[CONTEXT]\n- max -> all: ${MIXED}\n\n[MESSAGE]\nGo on.`

export const folder = realpathSync(mkdtempSync(join(tmpdir(), 'promptmason-runtime-')))
export const removeFolder = () => rmSync(folder, { recursive: true, force: true })

/** A file with a program that answers with what it has read, as Codex would. */
export const deliveredProgram = () => {
  const file = join(folder, 'cli.cjs')
  writeFileSync(
    file,
    `
    const chunks = []
    process.stdin.on('data', (chunk) => chunks.push(chunk))
    process.stdin.on('end', () => {
      console.log(JSON.stringify({ type: 'thread.started', thread_id: 'thread-1' }))
      console.log(JSON.stringify({ type: 'item.completed', item: { type: 'agent_message', text: Buffer.concat(chunks).toString() } }))
      console.log(JSON.stringify({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } }))
    })
  `,
  )
  return file
}
