/** The types of deliveries, as strict callers use them. Checked by `npm run typecheck`. */
import {
  type CliError,
  type DeliveryEvent,
  type DeliveryOptions,
  type DeliveryPlan,
  type DeliveryProfile,
  type DeliveryResult,
  type SizeUnit,
  buildPrompt,
  deliver,
  isPromptmasonError,
  parseOutput,
  planDelivery,
  writeDelivery,
} from 'promptmason'

const profile: DeliveryProfile = {
  command: 'mine',
  args: ['a'] as const,
  systemFlag: undefined,
  systemFileFlag: null,
  resumeArgs: ['{id}'] as readonly string[],
  limits: [{ unit: 'utf16', max: 1 }] as const,
  env: { A: 'a', B: undefined, C: null },
  output: 'claude',
}

const options: DeliveryOptions = {
  agentType: 'claude',
  platform: null,
  json: undefined,
  model: null,
  cwd: undefined,
  resume: undefined,
  systemVia: 'auto',
  guard: 'escape',
  projectInstructions: 'skip',
  trustWorkspace: true,
  extraArgs: ['-x'] as readonly string[],
  profile,
}

/** A session id that may be undefined can be passed on. */
export const turn = async (session: string | undefined): Promise<DeliveryResult> => {
  const plan: DeliveryPlan = planDelivery(
    buildPrompt({ agentType: 'claude', contextMessages: [], message: 'x' }, { as: 'buffer' }),
    { ...options, resume: session },
  )
  const written = await writeDelivery(plan)
  const args: string[] = written.args
  await written.cleanup()
  return deliver(
    { ...plan, args, env: { ...plan.env, KEY: 'value', GONE: undefined } },
    {
      signal: AbortSignal.timeout(1),
      timeoutMs: 1,
      onEvent: (event) => void event.raw,
      onText: (text) => void text.length,
      detached: null,
    },
  )
}

/** Every kind of event can be distinguished. */
export const shown = (event: DeliveryEvent): string => {
  switch (event.type) {
    case 'session':
      return event.sessionId + (event.model ?? '')
    case 'text':
    case 'reasoning':
      return event.text
    case 'tool-call':
      return `${event.name}(${JSON.stringify(event.input)})`
    case 'tool-result':
      return event.isError === true ? `failed: ${event.output}` : event.output
    case 'plan':
      return event.steps.map(({ text, status }) => `${status} ${text}`).join()
    case 'permission':
      return `${event.name} ${event.decision}`
    case 'retry':
      return `${event.attempt ?? 1} ${event.reason}`
    case 'usage':
      return String(event.outputTokens ?? 0)
    case 'notice':
      return event.message
    default: {
      const never: never = event
      return never
    }
  }
}

// @ts-expect-error the agent's type is needed
planDelivery({ prompt: 'x' }, {})
// @ts-expect-error there is no such value
planDelivery({ prompt: 'x' }, { agentType: 'claude', guard: 'off' })
// @ts-expect-error a prompt is needed
planDelivery({ systemFlag: 'x' }, options)

const { text, sessionId, usage, error } = parseOutput('text', { stdout: Buffer.from(''), stderr: null, exitCode: null })
export const found: [string | undefined, string | undefined, number | undefined, CliError['code'] | undefined] = [
  text,
  sessionId,
  usage?.inputTokens,
  error?.code,
]

export const explain = (thrown: unknown): string => {
  if (isPromptmasonError(thrown, 'ERR_UNDELIVERABLE')) {
    const unit: SizeUnit | undefined = thrown.unit
    return `${thrown.cli} ${thrown.size ?? 0} ${thrown.limit ?? 0} ${unit}`
  }
  if (isPromptmasonError(thrown, 'ERR_NO_ANSWER')) {
    const signal: NodeJS.Signals | null = thrown.signal
    return `${thrown.exitCode} ${signal} ${thrown.timedOut} ${thrown.stderr} ${thrown.sessionId ?? ''}`
  }
  return ''
}
