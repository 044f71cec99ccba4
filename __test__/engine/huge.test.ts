import { execFileSync } from 'node:child_process'
import { freemem } from 'node:os'
import { expect, it } from 'vitest'

const NEEDED_BYTES = 8 * 1024 ** 3

/** In a process of its own, which gives the memory back. The ninth message is read into more than 2 GiB of room. */
const SCRIPT = `
  const { CodexContextAssembler } = require('promptmason')
  const units = 276 * 1024 * 1024
  const contextMessages = Array.from({ length: 9 }, (_, index) => ({ from: 'm', content: String(index).repeat(units) }))
  const { prompt } = new CodexContextAssembler().assemble({ contextMessages, currentMessage: 'x', teamTask: null, maxBytes: 2 ** 40 }, { as: 'buffer' })
  console.log(prompt.length - 9 * units)
`

/** Results longer than 512 MiB, the longest string. */
const TOO_LONG = `
  const { buildPrompt, redactText, SystemPrompt } = require('promptmason')
  const half = 'x'.repeat(2 ** 28)
  const said = (content) => ({ from: 'm', content })
  const wide = '\\u20ac'.repeat(1000)
  const input = { agentType: 'codex', message: 'x', maxBytes: 2 ** 40 }
  const part = { type: 'text', text: half }
  const results = [
    () => buildPrompt({ ...input, contextMessages: [said(half), said(half)] }),
    () => buildPrompt({ ...input, contextMessages: [said(half), said(wide), said(half)] }),
    () => buildPrompt({ ...input, contextMessages: [said(half), said(half)] }, { as: 'anthropic' }),
    () => buildPrompt({ ...input, agentType: 'claude', contextMessages: [], systemInstructionText: [half, half] }),
    () => buildPrompt({ ...input, contextMessages: [{ from: 'm', content: '', parts: [part, part] }] }),
  ].map((make) => {
    try { return String(make()) } catch (error) { return [error.name, error.code, error.message] }
  })
  const { prompt } = buildPrompt({ ...input, contextMessages: [said(half), said(half)] }, { as: 'buffer' })
  console.log(JSON.stringify([results, prompt.length > 2 ** 29]))
`

it.skipIf(freemem() < NEEDED_BYTES / 2)(
  'says what to do about a result that no string can hold',
  () => {
    const [results, isWhole] = JSON.parse(execFileSync(process.execPath, ['-e', TOO_LONG], { encoding: 'utf8' }))
    const expected = [
      'RangeError',
      'ERR_OUT_OF_RANGE',
      expect.stringContaining("pass { as: 'buffer' } if it is a prompt"),
    ]
    expect(results).toEqual(Array.from(results, () => expected))
    expect(isWhole).toBe(true)
  },
  300_000,
)

it.skipIf(freemem() < NEEDED_BYTES)('assembles messages of more than 2 GiB', { timeout: 300_000 }, () => {
  const overhead = Number(execFileSync(process.execPath, ['-e', SCRIPT], { encoding: 'utf8' }))
  expect(overhead).toBe(Buffer.byteLength(`[CONTEXT]\n${'- m -> all: \n'.repeat(9)}\n[MESSAGE]\nx`))
})
