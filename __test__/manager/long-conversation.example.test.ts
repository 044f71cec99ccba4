/** The output of examples/long-conversation.ts. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const run = async (example: string): Promise<string> => {
  const env = { ...process.env, DEBUG: undefined }
  return (await promisify(execFile)(process.execPath, ['--import', 'tsx', `examples/${example}`], { cwd: root, env }))
    .stdout
}
const transcript = await run('long-conversation.ts')

/** Every prompt of the transcript, with its title and its outcome. */
const deliveries = transcript
  .split('\n── ')
  .slice(1)
  .map((text) => {
    const [title = '', ...lines] = text.trimEnd().split('\n')
    const prompt = lines
      .filter((line) => line.startsWith('   │ '))
      .map((line) => line.slice(5))
      .join('\n')
    return { title, prompt, outcome: lines.find((line) => /^ {3}[✓✗]/.test(line))?.trim() }
  })
const toMax = deliveries.filter(({ title }) => title.startsWith('to max'))

describe('the long conversation', () => {
  it('is part of examples/coordinator.ts', async () => {
    expect(await run('coordinator.ts')).toContain(transcript.trimEnd())
  })

  it('sends Max the whole conversation once, and then only what is new', () => {
    expect(toMax.map(({ title, outcome }) => `${title.replace(/, \d+ bytes$/, '')} ${outcome?.[0]}`)).toEqual([
      'to max: whole ✓',
      'to max: delta, after msg-2 ✗',
      'to max: delta, after msg-2 ✓',
      'to max: delta, after msg-5 ✓',
    ])
    const [whole, failed, again, afterCrash] = toMax.map(({ prompt }) => prompt)
    expect(whole).toContain('You are Max')
    expect(failed).toBe('[MESSAGE]\nOld phones have none. I would send a link.')
    expect(again).toBe(
      '[CONTEXT]\n- sarah -> all: Old phones have none. I would send a link.\n\n[MESSAGE]\nGood idea, Sarah. Max, do you agree?',
    )
    // Max was shown what the summary covers.
    expect(afterCrash).toBe(
      '[CONTEXT]\n- kailai -> all: Sarah, after how many minutes?\n\n[MESSAGE]\nAfter ten. Mail is slow.',
    )
  })

  it('puts the first sentences of what no longer fits into a summary, and keeps the goal', () => {
    const { prompt } = deliveries.find(({ title }) => title.startsWith('to sarah')) ?? { prompt: '' }
    expect(prompt).toContain(
      'Summary of the conversation so far:\nMax, how do we start? With passkeys. Old phones have none.\n\n',
    )
    expect(prompt).toContain('- kailai: Goal: nobody types a password.\n')
    expect(transcript).toMatch(/3 messages up to msg-4 no longer fit \(\d+ bytes\)/)
  })
})
