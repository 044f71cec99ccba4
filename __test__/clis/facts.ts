/**
 * What is known of the CLIs, each fact measured again and compared with the profile.
 * Texts are looked for in the requests that the stand-in has received.
 */
import { buildPrompt } from 'promptmason'
import type { PROFILES } from '../../dist/delivery/profiles/index.js'
import type { Rig, Sent } from './rig.js'
import { TOKENS } from './stand-in.js'

export type Profile = (typeof PROFILES)[number]

export interface Fact {
  name: string
  /** What the profile says, in a few words; undefined where there is nothing to say. */
  recorded(profile: Profile, rig: Rig): string | undefined
  measure(rig: Rig, profile: Profile): Promise<string>
}

const LINE = 'The quick brown fox jumps over the lazy dog, and then it rests.\n'
const textOf = (bytes: number): string =>
  `BEGIN ${LINE.repeat(Math.ceil(bytes / LINE.length)).slice(0, bytes - 10)} END`

const arrived = (texts: readonly string[], text: string): boolean => texts.some((each) => each.includes(text))

/** What happened to a prompt. */
const fate = ({ requests, user, result, error }: Sent, prompt: string): string => {
  if (arrived(user, prompt))
    return result?.text === 'ANSWER' ? 'whole' : `whole, but the answer is ${JSON.stringify(result ?? String(error))}`
  if (requests.length === 0)
    return error === undefined
      ? `not sent, ${result?.error?.code ?? 'no error'}`
      : `not sent, ${error.code ?? String(error)}`
  return 'changed'
}

const arrives = (name: string, prompt: string, applies: (profile: Profile) => boolean = () => true): Fact => ({
  name,
  recorded: (profile) => (applies(profile) ? 'whole' : undefined),
  measure: async (rig) => fate(await rig.send(prompt), prompt),
})

const hasGuard = (profile: Profile, code: string): boolean => profile.guards.some((guard) => guard.code === code)

/** A prompt that a CLI may act on, with `guard: 'report'` and with `guard: 'escape'`. */
const guarded = (
  name: string,
  code: string,
  trace: string,
  prepare: (rig: Rig) => Promise<{ cwd: string; prompt: string }>,
): Fact => ({
  name,
  recorded: (profile) => (hasGuard(profile, code) ? 'acts; disarmed' : 'text'),
  measure: async (rig, profile) => {
    const { cwd, prompt } = await prepare(rig)
    const acts = ({ requests, user }: Sent): boolean =>
      JSON.stringify(requests).includes(trace) || !arrived(user, prompt)
    if (!acts(await rig.send(prompt, { cwd }))) return 'text'
    if (!hasGuard(profile, code)) return 'acts'
    const sent = await rig.send(prompt, { cwd, guard: 'escape' })
    const { stdin } = rig.plan(prompt, { cwd, guard: 'escape' })
    const isDisarmed = arrived(sent.user, stdin.toString()) && !JSON.stringify(sent.requests).includes(trace)
    return isDisarmed ? 'acts; disarmed' : 'acts, also when disarmed'
  },
})

/** What a CLI does with more than its limit, without our own check. */
const beyond = (unit: string, prompt: (max: number) => string): Fact => ({
  name: `more than its ${unit}`,
  recorded: (profile) => (profile.limits.some((limit) => limit.unit === unit) ? 'not whole' : undefined),
  measure: async (rig, profile) => {
    const limit = profile.limits.find((each) => each.unit === unit)
    const text = prompt(limit?.max ?? 0)
    return fate(await rig.send('x', { stdin: Buffer.from(text) }), text) === 'whole' ? 'whole' : 'not whole'
  },
})

const HARD_SYSTEM =
  '- SYSTEM --help\n- "quotes" \'single\' \\back\\slash\n[table]\nkey = "value" # 漢字 😀 \u007f\t%PATH% $HOME `id` END'

/** Shell variables that Codex does not take for skills. */
const VARIABLES = ['path', 'home', 'user', 'shell', 'pwd', 'tmpdir', 'temp', 'tmp', 'lang', 'term', 'xdg_config_home']

const skill = (name: string, text: string): string => `---\nname: ${name}\ndescription: d\n---\n${text}\n`

const INSTRUCTIONS = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'QWEN.md', '.github/copilot-instructions.md']

const errorOf = (
  name: string,
  reply: Rig['standIn']['reply'],
  code: string,
  others: Record<string, string> = {},
): Fact => ({
  name,
  recorded: ({ command }) => others[command] ?? code,
  measure: async (rig) => {
    rig.standIn.reply = reply
    const { result, error } = await rig.send('hello', { timeoutMs: 30_000 })
    rig.standIn.reply = 'answer'
    if (result?.text !== undefined) return 'says it as an answer'
    return result?.error?.code ?? (error?.timedOut === true ? 'tries again' : (error?.code ?? String(error)))
  },
})

const takesMuch = ({ limits }: Profile): boolean => limits.every(({ max }) => max > 768 * 1024)

export const FACTS: readonly Fact[] = [
  { name: 'version', recorded: ({ measuredOn }) => measuredOn, measure: (rig) => rig.ownVersion() },
  arrives('ordinary text', 'BEGIN Please say hello.\n\n- one\n- two\n\nEND'),
  arrives('CJK, emoji, combining marks', 'BEGIN 漢字かな交じり文。 한국어 😀👩‍💻 é e\u0301 العربية END'),
  arrives('NUL, CR, escape sequences', 'BEGIN a\0b\r\nc\u001b[31mred\u001b[0m\u0007 END'),
  arrives('768 KB of prompt', textOf(768 * 1024), takesMuch),
  arrives('768 KB of CJK', `BEGIN ${'漢字。\n'.repeat((768 * 1024) / 10)} END`, takesMuch),
  {
    name: 'a long answer, while nobody reads',
    recorded: () => 'whole',
    measure: async (rig) => {
      // Gemini stops an answer that repeats itself.
      const answer = Array.from(
        { length: 15_000 },
        (_, line) => `Line ${line} of a long answer: ${(line * 7919) % 10_007}.`,
      ).join('\n')
      rig.standIn.answers = [answer]
      const { result, error } = await rig.send('hello')
      rig.standIn.answers = ['ANSWER']
      return result?.text === answer ? 'whole' : `not whole: ${String(error ?? result?.error?.message)}`
    },
  },
  arrives('12 MB of prompt', textOf(12_000_000), (profile) => profile.limits.length === 0),
  {
    name: 'answer, session and usage',
    recorded: ({ command }) => {
      const sent = command === 'qwen' ? 2 : 1
      // Anthropic counts what was cached apart from the rest.
      const input = command === 'claude' ? TOKENS.input + TOKENS.cached : TOKENS.input
      return ['copilot', 'grok', 'kimi'].includes(command)
        ? 'session'
        : `session, ${input * sent} in, ${TOKENS.cached * sent} cached, ${TOKENS.output * sent} out`
    },
    measure: async (rig) => {
      const { result } = await rig.send('hello')
      const { inputTokens, cachedInputTokens, outputTokens } = result?.usage ?? {}
      const usage =
        result?.usage === undefined ? '' : `, ${inputTokens} in, ${cachedInputTokens} cached, ${outputTokens} out`
      return `${result?.sessionId === undefined ? 'no session' : 'session'}${usage}`
    },
  },
  {
    name: 'system text as an option',
    recorded: ({ system }) => (system.flag === undefined ? undefined : 'in the system text'),
    measure: async (rig) =>
      arrived((await rig.send('hello', { system: HARD_SYSTEM, systemVia: 'flag' })).system, HARD_SYSTEM)
        ? 'in the system text'
        : 'lost',
  },
  {
    name: '200 KB of system text',
    recorded: ({ system, limits }) => {
      if (limits.some(({ max }) => max < 200 * 1024)) return undefined
      return system.fileFlag === undefined ? 'in the prompt' : 'in the system text'
    },
    measure: async (rig) => {
      const text = textOf(200 * 1024)
      const { prompt, systemFlag } = buildPrompt({
        agentType: rig.cli.agentType,
        contextMessages: [],
        message: 'hello',
        systemInstructionText: text,
      })
      const sent = await rig.send(prompt, systemFlag === undefined ? {} : { system: systemFlag })
      if (arrived(sent.system, text)) return 'in the system text'
      return arrived(sent.user, text) ? 'in the prompt' : `lost: ${String(sent.error ?? sent.result?.error?.message)}`
    },
  },
  {
    name: 'second turn',
    recorded: () => 'has both turns, same session',
    measure: async (rig) => {
      const cwd = await rig.project()
      const first = await rig.send('FIRST-PROMPT', { cwd })
      const resume = first.result?.sessionId ?? 'none'
      const second = await rig.send('SECOND-PROMPT', { cwd, resume })
      const both =
        arrived(second.user, 'FIRST-PROMPT') &&
        arrived(second.user, 'SECOND-PROMPT') &&
        JSON.stringify(second.requests).includes('ANSWER')
      return `${both ? 'has both turns' : 'lacks a turn'}, ${second.result?.sessionId === resume ? 'same session' : 'another session'}`
    },
  },
  {
    name: 'tokens of the second turn',
    // Codex and Qwen count the session: `deliver` subtracts.
    recorded: ({ command }) => (command === 'copilot' ? undefined : 'its own'),
    measure: async (rig) => {
      const cwd = await rig.project()
      const first = await rig.send('hello', { cwd })
      const second = await rig.send('again', { cwd, resume: first.result?.sessionId ?? 'none' })
      const [one = 0, two = 0] = [first, second].map(({ result }) => result?.usage?.inputTokens)
      return two === one ? 'its own' : two > one ? 'with those of the first' : `${one}, then ${two}`
    },
  },
  {
    name: 'other system text in the second turn',
    recorded: ({ system }) =>
      system.flag === undefined
        ? undefined
        : system.onResume === 'ignored'
          ? 'the first stays, with a warning'
          : 'the second counts',
    measure: async (rig) => {
      const cwd = await rig.project()
      const { result } = await rig.send('hello', { cwd, system: 'SYSTEM-ONE' })
      const options = { cwd, system: 'SYSTEM-TWO', resume: result?.sessionId ?? 'none' }
      const { system } = await rig.send('again', options)
      const isWarned = rig.plan('again', options).warnings.some(({ code }) => code === 'system-ignored')
      if (arrived(system, 'SYSTEM-TWO')) return 'the second counts'
      return arrived(system, 'SYSTEM-ONE')
        ? `the first stays, ${isWarned ? 'with' : 'without'} a warning`
        : 'there is none'
    },
  },
  {
    name: 'resumed in another directory',
    recorded: ({ resume, command }) => {
      if (command === 'opencode') return 'hangs; goes on with --dir'
      // It asks whether to copy the session, and nobody can answer.
      if (command === 'pi') return 'ERR_NO_ANSWER'
      return resume?.directory === 'same' ? 'session-not-found' : 'goes on'
    },
    measure: async (rig) => {
      const [cwd, runIn] = [await rig.project(), await rig.project()]
      const resume = (await rig.send('FIRST-PROMPT', { cwd })).result?.sessionId ?? 'none'
      const elsewhere = async (options: object): Promise<string> => {
        const { result, error, user } = await rig.send('SECOND-PROMPT', {
          resume,
          runIn,
          timeoutMs: 30_000,
          ...options,
        })
        if (error?.timedOut === true) return 'hangs'
        return result?.text === undefined
          ? (result?.error?.code ?? error?.code ?? String(error))
          : arrived(user, 'FIRST-PROMPT')
            ? 'goes on'
            : 'begins anew'
      }
      const found = await elsewhere({ cwd: runIn })
      return found === 'hangs' ? `hangs; ${await elsewhere({ cwd })} with --dir` : found
    },
  },
  {
    name: 'unknown session',
    recorded: () => 'session-not-found',
    measure: async (rig) => {
      const { result, error } = await rig.send('hello', { resume: '11111111-2222-4333-8444-555555555555' })
      return result?.error?.code ?? (error === undefined ? 'begins anew' : String(error))
    },
  },
  guarded('a leading command', 'command', 'COMMAND-TEXT', async (rig) => ({
    cwd: await rig.project(rig.cli.commandFiles),
    prompt: '/pm-command please',
  })),
  guarded('a mentioned file', 'file-mention', 'SECRET-TEXT', async (rig) => ({
    cwd: await rig.project({ 'secret.txt': 'SECRET-TEXT' }),
    prompt: 'Please read @secret.txt now.',
  })),
  guarded('a file mentioned in a word', 'file-mention', 'SECRET-TEXT', async (rig) => ({
    cwd: await rig.project({ 'secret.txt': 'SECRET-TEXT' }),
    // These act only after white space.
    prompt: ['claude', 'grok'].includes(rig.cli.command) ? '漢字\u3000@secret.txt' : '漢字@@secret.txt, me@secret.txt',
  })),
  guarded('a mentioned skill', 'skill-mention', 'SKILL-TEXT', async (rig) => {
    const file = rig.cli.skillFile?.('pm-skill')
    if (file !== undefined) await rig.writeHome(file, skill('pm-skill', 'SKILL-TEXT'))
    return { cwd: await rig.project(), prompt: 'Do `$pm-skill` please, and [$pm-skill](x)$pm-skill.' }
  }),
  {
    name: 'skills called like shell variables',
    recorded: (profile) => (hasGuard(profile, 'skill-mention') ? 'text' : undefined),
    measure: async (rig) => {
      await Promise.all(
        VARIABLES.map((name) => rig.writeHome(rig.cli.skillFile?.(name) ?? '', skill(name, 'VARIABLE-TEXT'))),
      )
      const { requests } = await rig.send(VARIABLES.map((name) => `$${name} $${name.toUpperCase()}`).join(' '))
      return JSON.stringify(requests).includes('VARIABLE-TEXT') ? 'acts' : 'text'
    },
  },
  {
    name: 'instruction files of the project',
    recorded: ({ command, skipInstructions }) => {
      if (command === 'grok') return 'not read, skipped'
      return skipInstructions === undefined ? 'read, cannot be skipped' : 'read, skipped'
    },
    measure: async (rig) => {
      const cwd = await rig.project(Object.fromEntries(INSTRUCTIONS.map((name) => [name, `INSTRUCTIONS-TEXT ${name}`])))
      const reads = async (projectInstructions: 'keep' | 'skip'): Promise<boolean> =>
        JSON.stringify((await rig.send('hello', { cwd, projectInstructions })).requests).includes('INSTRUCTIONS-TEXT')
      return `${(await reads('keep')) ? 'read' : 'not read'}, ${(await reads('skip')) ? 'cannot be skipped' : 'skipped'}`
    },
  },
  {
    name: 'empty; blank',
    recorded: ({ isAcp, refusesBlank }) => `${isAcp ? 'sent' : 'refused'}; ${refusesBlank ? 'refused' : 'sent'}`,
    measure: async (rig) => {
      const isSent = async (text: string): Promise<string> =>
        (await rig.send('x', { stdin: Buffer.from(text) })).requests.length > 0 ? 'sent' : 'refused'
      return `${await isSent('')}; ${await isSent('  \n')}`
    },
  },
  {
    name: 'byte order mark; space at the end',
    recorded: ({ stripsByteOrderMark, trimsEnd }) =>
      `${stripsByteOrderMark ? 'stripped' : 'kept'}; ${trimsEnd ? 'stripped' : 'kept'}`,
    measure: async (rig) => {
      const { user } = await rig.send('\uFEFF  BEGIN hello END \n\n')
      return `${arrived(user, '\uFEFF  BEGIN') ? 'kept' : 'stripped'}; ${arrived(user, 'hello END \n\n') ? 'kept' : 'stripped'}`
    },
  },
  {
    name: 'as much as it takes',
    recorded: ({ command, limits }) =>
      limits.length === 0 || ['claude', 'qwen'].includes(command) ? undefined : 'whole',
    measure: async (rig, profile) => {
      const limit = profile.limits.at(-1)?.max ?? 0
      const prompt = textOf(limit)
      return fate(await rig.send(prompt), prompt)
    },
  },
  beyond('bytes', (max) => `BEGIN ${'漢'.repeat(Math.ceil(max / 3))} END`),
  beyond('codePoints', (max) => `${textOf(max)}x`),
  beyond('utf16', () => textOf(4_194_304)),
  {
    name: 'in a directory that it does not trust',
    recorded: ({ command }) => (command === 'gemini' ? 'refused; sent with trustWorkspace' : undefined),
    measure: async (rig) => {
      const { requests } = await rig.send('hello', { trustWorkspace: false })
      const trusted = await rig.send('hello', { trustWorkspace: true })
      return `${requests.length > 0 ? 'sent' : 'refused'}; ${trusted.requests.length > 0 ? 'sent' : 'refused'} with trustWorkspace`
    },
  },
  {
    name: 'a command that sends nothing',
    recorded: ({ command }) => (command === 'claude' ? 'ERR_NO_ANSWER' : undefined),
    measure: async (rig) => {
      const { error, result } = await rig.send('/clear')
      return error?.code ?? JSON.stringify(result)
    },
  },
  errorOf('the provider: too long', 'too-long', 'too-long', { kimi: 'says it as an answer' }),
  errorOf('the provider: wrong key', 'not-logged-in', 'not-logged-in'),
  errorOf('the provider: too many requests', 'rate-limit', 'rate-limit', {
    opencode: 'tries again',
    qwen: 'tries again',
    kilo: 'tries again',
    kimi: 'tries again',
  }),
  errorOf('the provider: something else', 'other', 'other', { kimi: 'ERR_NO_ANSWER' }),
]
