/**
 * What happens during a turn and after it: tools that run when a turn is ended, answers that are
 * cut off, turns that get into each other's way, and places in which a CLI may not feel at home.
 */
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DeliveryEvent } from 'promptmason'
import type { Fact } from './facts.js'
import { eventually, processesIn, processesWith } from './processes.js'
import type { Step } from './provider-streams.js'
import type { Rig, SendOptions, Sent } from './rig.js'
import { type Response, TOKENS } from './stand-in.js'

const hasTools = (body: any): boolean => (body?.tools ?? []).length > 0

/** The requests of the turn get these answers in turn, and then the last one again and again. */
const script = (rig: Rig, ...steps: Response[]): void => {
  let next = 0
  rig.standIn.respond = ({ body }) => {
    if (!hasTools(body) || rig.cli.isAside?.(body) === true) return undefined
    return steps[Math.min(next++, steps.length - 1)]
  }
}

/** Sends a prompt whose turn goes as told. */
const turn = async (
  rig: Rig,
  steps: Response[],
  options: SendOptions = {},
): Promise<Sent & { events: DeliveryEvent[] }> => {
  const events: DeliveryEvent[] = []
  script(rig, ...steps)
  try {
    const delivery = { ...options.delivery, onEvent: (event: DeliveryEvent) => events.push(event) }
    return { ...(await rig.send('Please do it.', { allows: true, ...options, delivery })), events }
  } finally {
    rig.standIn.respond = undefined
  }
}

const failure = ({ result, error }: Sent): string =>
  error?.name === 'AbortError' ? 'aborted' : (result?.error?.code ?? error?.code ?? 'no error')

/** What came of a turn, in a few words. */
const outcome = (sent: Sent): string => {
  const { result } = sent
  if (result?.text === undefined) return failure(sent)
  const reason = result.finishReason === undefined || result.finishReason === 'stop' ? '' : `, ${result.finishReason}`
  return `${JSON.stringify(result.text)}${reason}`
}

let sleepers = 0

/** A command that goes on for ever, with a name of its own. Some CLIs do not run a long `sleep`. */
const sleeper = (): { command: string; name: string; isAsleep: () => Promise<boolean> } => {
  const name = `pm-tool-${process.pid}-${sleepers++}`
  const isAsleep = (): Promise<boolean> => eventually(() => processesWith(`\0${name}`).length > 0)
  return { command: `sh -c "while true; do sleep 1; done" ${name}`, name, isAsleep }
}

/** A turn whose tool sleeps, and what ends it once it does. Tells what is left of it. */
const whileToolSleeps = async (
  rig: Rig,
  run: (command: string, isAsleep: () => Promise<boolean>) => Promise<string>,
) => {
  const { command, name, isAsleep } = sleeper()
  const said = await run(command, isAsleep)
  const isGone = await eventually(() => processesWith(name).length === 0, 5000)
  for (const id of processesWith(name)) kill(id)
  return `${said}, ${isGone ? 'nothing left' : 'its tool is left'}`
}

const tool = (rig: Rig, command: string): Step => ({ text: 'Let me look.', tools: [rig.cli.shell(command)] })

const FINAL: Step = { text: ['FINAL ', 'ANSWER'] }

const kill = (id: number): void => {
  try {
    process.kill(id, 'SIGKILL')
  } catch {
    // It is gone.
  }
}

/** A fact that is the same for all CLIs, but for some. */
const fact = (
  name: string,
  usual: string,
  measure: Fact['measure'],
  others: Record<string, string | undefined> = {},
): Fact => ({
  name,
  recorded: ({ command }) => (command in others ? others[command] : usual),
  measure,
})

const ended: readonly Fact[] = [
  fact('aborted while its tool runs', 'aborted, session known, nothing left', (rig) =>
    whileToolSleeps(rig, async (command, isAsleep) => {
      const controller = new AbortController()
      const sent = turn(rig, [tool(rig, command), FINAL], { delivery: { signal: controller.signal } })
      if (!(await isAsleep())) return `it does not run its tool: ${outcome(await sent)}`
      controller.abort()
      const { error } = await sent
      return `aborted, session ${error?.sessionId === undefined ? 'not known' : 'known'}`
    }),
  ),
  fact('timed out while its tool runs', 'timed out, delivered unknown, nothing left', (rig) =>
    whileToolSleeps(rig, async (command) => {
      const { error, result } = await turn(rig, [tool(rig, command), FINAL], { timeoutMs: 12_000 })
      return error?.timedOut === true
        ? `timed out, delivered ${error.delivered}`
        : JSON.stringify(result ?? String(error))
    }),
  ),
  fact('the coordinator exits while its tool runs', 'exited, nothing left', (rig) =>
    whileToolSleeps(rig, async (command, isAsleep) => {
      script(rig, tool(rig, command), FINAL)
      const cwd = await rig.project()
      const { stdin, env, ...plan } = rig.plan('Please do it.', { cwd, allows: true })
      const removed = Object.keys(env).filter((name) => env[name] === undefined)
      const file = join(cwd, '..', `plan-${sleepers}.json`)
      await writeFile(file, JSON.stringify({ ...plan, env, removed, stdin: stdin.toString('base64') }))
      const program = join(import.meta.dirname, 'coordinator.ts')
      const child = spawn(process.execPath, [...process.execArgv, program, file], {
        stdio: ['pipe', 'inherit', 'inherit'],
      })
      const exit = new Promise((resolve) => {
        child.on('exit', resolve)
      })
      const didRun = await isAsleep()
      child.stdin.end()
      await exit
      rig.standIn.respond = undefined
      return didRun ? 'exited' : 'it does not run its tool'
    }),
  ),
  fact('killed while its tool runs, and resumed', 'unknown; the session has the prompt', async (rig) => {
    const cwd = await rig.project()
    const { command, name, isAsleep } = sleeper()
    script(rig, tool(rig, command), FINAL)
    const sent = rig.send('CRASHED-PROMPT', { cwd, allows: true })
    await isAsleep()
    for (const id of processesIn(cwd)) kill(id)
    for (const id of processesWith(name)) kill(id)
    const { error, result } = await sent
    rig.standIn.respond = undefined
    const { delivered = 'not told', sessionId } = error ?? result ?? {}
    if (sessionId === undefined) return `${delivered}; no session is known`
    const resumed = await rig.send('SECOND-PROMPT', { cwd, resume: sessionId })
    if (resumed.result?.text === undefined) return `${delivered}; ${failure(resumed)}`
    return `${delivered}; the session has ${resumed.user.some((text) => text.includes('CRASHED-PROMPT')) ? 'the prompt' : 'no prompt'}`
  }),
]

const answers: readonly Fact[] = [
  fact('what is said between tools', '"FINAL ANSWER"', async (rig) =>
    outcome(await turn(rig, [tool(rig, 'echo one'), tool(rig, 'echo two'), FINAL])),
  ),
  fact(
    'text as it comes',
    'in pieces',
    async (rig) => {
      const { events } = await turn(rig, [FINAL])
      const texts = events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
      return texts.join('') === 'FINAL ANSWER' ? (texts.length > 1 ? 'in pieces' : 'whole') : JSON.stringify(texts)
    },
    { codex: 'whole', opencode: 'whole', kilo: 'whole' },
  ),
  fact('a stream that is always cut off', 'no answer', async (rig) => {
    const sent = await turn(rig, [{ text: ['PARTIAL ', 'TEXT'], end: 'cut' }], { timeoutMs: 40_000 })
    return sent.result?.text === undefined ? 'no answer' : outcome(sent)
  }),
  fact(
    'cut off by the limit of tokens',
    '"PARTIAL TEXT", length',
    async (rig) => outcome(await turn(rig, [{ text: 'PARTIAL TEXT', end: 'length' }])),
    {
      // It asks the model to go on, and gives up after the third time.
      claude: 'other',
      codex: 'interrupted',
      // They do not tell. Qwen has the model go on.
      gemini: '"PARTIAL TEXT"',
      copilot: '"PARTIAL TEXT"',
      qwen: '"PARTIAL TEXTPARTIAL TEXTPARTIAL TEXTPARTIAL TEXT"',
    },
  ),
  fact(
    'a background task',
    undefined as never,
    async (rig) => {
      const call = rig.cli.shell('sleep 1; echo done')
      const inBackground = { ...call, input: { ...call.input, run_in_background: true } }
      const sent = await turn(rig, [
        { text: 'Starting.', tools: [inBackground] },
        { text: 'FIRST' },
        { text: 'SECOND' },
      ])
      return `${outcome(sent)}, ${sent.result?.usage?.outputTokens} out`
    },
    { claude: `"FIRST\\n\\nSECOND", ${3 * TOKENS.output} out` },
  ),
  {
    name: 'tokens of a sub-agent',
    recorded: ({ command }) =>
      ({ claude: 'counted', qwen: 'counted', opencode: 'not told', copilot: 'not told' })[command],
    measure: async (rig) => {
      let isCalled = false
      rig.standIn.respond = ({ body }): Step | undefined => {
        if (!hasTools(body) || rig.cli.isAside?.(body) === true) return undefined
        const texts = rig.cli.user(body).join('\n')
        if (texts.includes('SUBTASK') && !texts.includes('MAINTASK')) return { text: 'SUBANSWER' }
        if (isCalled || rig.cli.subAgent === undefined) return FINAL
        isCalled = true
        return { text: 'Let me ask.', tools: [rig.cli.subAgent] }
      }
      const sent = await rig.send('MAINTASK do it', { allows: true })
      rig.standIn.respond = undefined
      const requests = sent.requests.filter(({ body }) => hasTools(body) && rig.cli.isAside?.(body) !== true).length
      const counted = (sent.result?.usage?.outputTokens ?? 0) / TOKENS.output
      if (sent.result?.text !== 'FINAL ANSWER') return outcome(sent)
      return counted >= requests ? 'counted' : 'not told'
    },
  },
  fact('overloaded', 'rate-limit', async (rig) =>
    failure(await turn(rig, [{ fails: 'overloaded' }], { timeoutMs: 15_000 })),
  ),
]

const places: readonly Fact[] = [
  fact('directories with odd names', 'whole, whole, whole', async (rig) => {
    const fates: string[] = []
    for (const name of ['with space', 'it\'s "quoted" $HOME `id`', '漢字 é 😀']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const cwd = join(await rig.project(), name)
      // oxlint-disable-next-line no-await-in-loop -- the same
      await mkdir(cwd)
      // oxlint-disable-next-line no-await-in-loop -- the same
      const { result, error } = await rig.send('hello', { cwd })
      fates.push(result?.text === 'ANSWER' ? 'whole' : (result?.error?.code ?? String(error)))
    }
    return fates.join(', ')
  }),
  fact('a home directory that cannot be written to', 'answers', async (rig) => {
    const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    const wrapper = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', mount, rig.home]
    const sent = await rig.send('hello', { wrapper, timeoutMs: 40_000 })
    return sent.result?.text === undefined ? failure(sent) : 'answers'
  }),
  fact('inside the session of another agent', 'answers', async (rig) => {
    const inherits = {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SESSION_ID: '11111111-2222-4333-8444-555555555555',
      CODEX_SANDBOX: 'seatbelt',
      CODEX_THREAD_ID: '11111111-2222-4333-8444-555555555555',
      GEMINI_CLI: '1',
      OPENCODE: '1',
      QWEN_CODE: '1',
      COPILOT_CLI: '1',
    }
    const sent = await rig.send('hello', { inherits })
    return sent.result?.text === 'ANSWER' ? 'answers' : outcome(sent)
  }),
  fact('a debugger in NODE_OPTIONS', 'answers', async (rig) => {
    const sent = await rig.send('hello', { inherits: { NODE_OPTIONS: '--inspect=127.0.0.1:9229' } })
    return sent.result?.text === 'ANSWER' ? 'answers' : outcome(sent)
  }),
  fact('one session, two turns at once', 'ERR_BUSY', async (rig) => {
    const cwd = await rig.project()
    const resume = (await rig.send('hello', { cwd })).result?.sessionId ?? 'none'
    const [first, second] = await Promise.all([rig.send('one', { cwd, resume }), rig.send('two', { cwd, resume })])
    return (
      [first, second]
        .map((sent) => (sent.result?.text === undefined ? failure(sent) : 'answers'))
        .toSorted()
        .at(0) ?? ''
    )
  }),
]

export const SITUATIONS: readonly Fact[] = [...ended, ...answers, ...places]
