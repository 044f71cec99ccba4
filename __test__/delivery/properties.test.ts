/**
 * Plans of any text for every CLI: what is passed is what was given, and nothing is left to act on.
 * Texts are hostile: signs and their surroundings, control characters, lone surrogates.
 */
import fc from 'fast-check'
import { type DeliveryOptions, type DeliveryPlan, isPromptmasonError, planDelivery } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { findPlaces } from '../../dist/delivery/guards.js'
import { PROFILES } from '../../dist/delivery/profiles/index.js'
import { runs } from '../support/runs.js'

const RUNS = runs(300)

const piece = fc.oneof(
  fc.constantFrom(
    '@',
    '@a',
    '\\',
    '/',
    '/x',
    '$a',
    '$HOME',
    '$',
    '{id}',
    '{file:system-prompt.md}',
    ' ',
    '\n',
    '\r\n',
    '.',
    '漢',
    '😀',
    '"',
    "'",
    '\0',
    '\u007f',
    '\u2060',
    '\u3000',
    '\ufeff',
    '\ud800',
    '\udc00',
    '-',
    '--help',
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const text = (maxLength: number) => fc.array(piece, { maxLength }).map((pieces) => pieces.join(''))
const name = fc.oneof(fc.constantFrom('m', 'ses_1', '01a1e545-01a4-7321-8aae-d8e4dd5ff4d8'), text(3))

const profile = fc.constantFrom(...PROFILES)
const options = fc.record(
  {
    platform: fc.constantFrom<NodeJS.Platform>('linux', 'darwin', 'win32'),
    json: fc.boolean(),
    model: name,
    resume: name,
    cwd: name,
    systemVia: fc.constantFrom<'auto' | 'flag' | 'file'>('auto', 'flag', 'file'),
    guard: fc.constantFrom<'report' | 'escape'>('report', 'escape'),
    projectInstructions: fc.constantFrom<'keep' | 'skip'>('keep', 'skip'),
    trustWorkspace: fc.boolean(),
    extraArgs: fc.array(text(2), { maxLength: 2 }),
  },
  { requiredKeys: [] },
)

/** The plan, unless it is rejected with an error of this package. */
const planned = (
  agentType: string,
  prompt: string | Buffer,
  given: Partial<DeliveryOptions>,
  systemFlag?: string,
): DeliveryPlan | undefined => {
  try {
    return planDelivery({ prompt, systemFlag } as { prompt: string }, { agentType, ...given })
  } catch (error) {
    if (isPromptmasonError(error)) return undefined
    throw error
  }
}

/** Whether a text is another one with something written into it. */
const contains = (longer: string, shorter: string): boolean => {
  const rest = longer[Symbol.iterator]()
  return [...shorter].every((character) => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) if (next.value === character) return true
    return false
  })
}

describe('a plan of any text', () => {
  it('contains the text unchanged', () => {
    fc.assert(
      fc.property(
        profile,
        text(40),
        fc.option(text(12), { nil: undefined }),
        options,
        ({ agentType }, prompt, system, given) => {
          const plan = planned(agentType, prompt, given, system)
          if (plan === undefined) return
          for (const argument of plan.args) expect(argument.includes('\0') || !argument.isWellFormed()).toBe(false)
          for (const { content } of plan.files) expect(content.toString()).toBe(system?.toWellFormed())
          const toml = plan.args.find((argument) => argument.startsWith('developer_instructions='))
          // The escapes that are used are in TOML and in JSON, with the same meaning.
          if (toml !== undefined && given.resume === undefined)
            expect(JSON.parse(toml.slice(toml.indexOf('=') + 1))).toBe(system?.toWellFormed())
          const stdin = plan.stdin.toString()
          expect(Buffer.from(stdin).equals(plan.stdin)).toBe(true)
          expect(contains(stdin, prompt.toWellFormed())).toBe(true)
          if (given.guard === 'report') expect(stdin).toBe(prompt.toWellFormed())
          expect(planned(agentType, Buffer.from(prompt), given, system)).toEqual(plan)
        },
      ),
      RUNS,
    )
  })

  it('lists the positions of the signs, and disarms them', () => {
    const signs: Record<string, string> = {
      command: '/',
      'file-mention': '@',
      'skill-mention': '$',
      'plugin-mention': '@',
      'byte-order-mark': '\ufeff',
    }
    fc.assert(
      fc.property(profile, text(40), ({ agentType, guards }, prompt) => {
        const plan = planned(agentType, prompt, { guard: 'escape' })
        if (plan === undefined) return
        for (const { code, at } of plan.warnings)
          if (at !== undefined && code in signs) expect(prompt[at]).toBe(signs[code])
        for (const { trigger, disarm, code } of guards) {
          const sent = findPlaces(trigger, plan.stdin)
          if ('env' in disarm) expect(plan.env).toMatchObject(disarm.env)
          else expect(sent).toHaveLength(0)
          const before = findPlaces(trigger, Buffer.from(prompt))
          const positions = [...before]
            .slice(0, 100)
            .map((offset) => Buffer.from(prompt).toString('utf8', 0, offset).length)
          expect(
            plan.warnings.filter((warning) => warning.code === code && warning.at !== undefined).map(({ at }) => at),
          ).toEqual(positions)
        }
      }),
      RUNS,
    )
  })

  it('is rejected with its size above the limit, in every unit', () => {
    fc.assert(
      fc.property(text(30), fc.constantFrom('bytes', 'codePoints', 'utf16'), fc.nat(100), (prompt, unit, max) => {
        const whole = prompt.toWellFormed()
        const size = { bytes: Buffer.byteLength(whole), codePoints: [...whole].length, utf16: whole.length }[unit]
        fc.pre(size > 0)
        const plan = (limit: number) =>
          planDelivery({ prompt }, { agentType: 'mine', profile: { command: 'mine', limits: [{ unit, max: limit }] } })
        expect(plan(size + max).stdin.toString()).toBe(whole)
        if (size === 1) return
        expect(() => plan(Math.max(1, size - 1 - max))).toThrow(
          expect.objectContaining({ code: 'ERR_UNDELIVERABLE', size, unit }),
        )
      }),
      RUNS,
    )
  })
})
