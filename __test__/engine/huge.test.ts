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

it.skipIf(freemem() < NEEDED_BYTES)('assembles messages of more than 2 GiB', { timeout: 300_000 }, () => {
  const overhead = Number(execFileSync(process.execPath, ['-e', SCRIPT], { encoding: 'utf8' }))
  expect(overhead).toBe(Buffer.byteLength(`[CONTEXT]\n${'- m -> all: \n'.repeat(9)}\n[MESSAGE]\nx`))
})
