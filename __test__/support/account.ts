/** Checks that hold for the account of every report. */
import type { AssemblerInput, AssemblerReport, LeftOutReason } from 'promptmason'
import { expect } from 'vitest'
import { byteLength } from './assemblers.js'
import { BRACKETED } from './reference.js'

/** UTF-8 bytes of all texts; nothing and nested arrays are allowed. */
export const bytesOf = (...texts: unknown[]): number =>
  texts.flat(9).reduce<number>((sum, text) => sum + (typeof text === 'string' ? byteLength(text) : 0), 0)

/** UTF-8 bytes of all texts of an input. */
export const givenToAssembler = (input: AssemblerInput): number =>
  bytesOf(
    input.systemInstruction,
    input.instructionFileText,
    input.teamTask,
    input.summary,
    input.currentMessage,
    input.contextMessages.map(({ content }) => content),
    input.parentContext?.content,
    input.siblingContext?.map(({ content }) => content),
    input.routeMeta?.parentMessageId,
    input.routeMeta?.intent,
  )

/** The sentence for a reason. What did not fit is listed section by section. */
const SENTENCES: Record<Exclude<LeftOutReason, 'space'>, RegExp> = {
  budget: /trimmed to|shortened to|dropped, all/,
  step: /eviction step/,
  window: /outside|is missing/,
  recipient: /not for/,
  own: /from the member itself/,
  duplicate: /same text as the current one/,
  marker: /routing markers/,
  limit: /limit|maximum|shortened to|dropped, all/,
  code: /code blocks/,
  same: /same as the current message/,
  layout: /layout|only the names of files/,
  summary: /covered by the summary/,
  reasoning: /reasoning is left out/,
  seen: /already in the session/,
  redacted: /keys or tokens/,
}

/** Checks the account of a report, for an input with this many bytes of text. */
export const checkAccount = (
  { account, leftOut, decisions, sections, dropped }: AssemblerReport,
  givenBytes: number,
): void => {
  expect(account.givenBytes).toBe(givenBytes)
  expect(account.sentBytes + account.leftOutBytes).toBe(givenBytes)
  expect(leftOut.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(account.leftOutBytes)

  const single = leftOut.filter(({ from }) => from !== undefined)
  expect(single.length).toBeLessThanOrEqual(100)
  for (const { part, reason, action, bytes, count, from } of leftOut) {
    expect(bytes > 0 || from !== undefined || part === 'context').toBe(true)
    expect(count).toBeGreaterThanOrEqual(1)
    if (from !== undefined) expect({ count, reason }).not.toMatchObject({ reason: 'recipient' })
    if (reason === 'space') continue
    const isTold = decisions.some((text) => text.startsWith(`${BRACKETED[part]} `) && SENTENCES[reason].test(text))
    expect(isTold || { part, reason, decisions }).toBe(true)
    const section = sections.find(({ name }) => name === part)
    if (section && (action === 'cut' || action === 'stripped')) expect(section.action).not.toBe('kept')
  }
  for (const part of Object.keys(BRACKETED)) {
    const indices = single.filter((entry) => entry.part === part).map(({ index }) => index ?? 0)
    if (part === 'context') expect(indices).toEqual(indices.toSorted((one, other) => other - one))
  }
  const unkept = leftOut.filter(
    ({ part, action, reason }) => part === 'context' && action === 'dropped' && /^(budget|step|layout)$/.test(reason),
  )
  const listed = unkept.filter(({ from }) => from !== undefined)
  const isListed = new Set(listed.map(({ index }) => index))
  expect(
    dropped.filter(({ index }) => isListed.has(index)).map(({ index, from, reason }) => ({ index, from, reason })),
  ).toEqual(listed.map(({ index, from, reason }) => ({ index, from, reason })))
}

/** Letters that occur nowhere else, so that counting them in the output counts what was sent. */
const FIRST_LETTER = 0xe000
export const letterOf = (text: number): string => String.fromCharCode(FIRST_LETTER + text)

/** How many bytes of given text an output has, if all of it is written in these letters and backticks. */
export const sentBytes = ({ prompt, systemFlag }: { prompt: string; systemFlag?: string | undefined }): number => {
  const lettersIn = (text: string): string[] => text.match(/[\ue000-\uf8ff`]/g) ?? []
  // A text in both is sent once.
  const isInline = lettersIn(systemFlag ?? '').length > 0 && prompt.includes(systemFlag ?? '')
  return bytesOf(lettersIn(prompt), isInline ? [] : lettersIn(systemFlag ?? ''))
}
