/** The same CLIs by the Agent Client Protocol, as far as they speak it. */
import { join } from 'node:path'
import type { DeliveryEvent } from 'promptmason'
import type { Fact } from '../facts.js'
import { installed } from '../install.js'
import type { Rig, SendOptions } from '../rig.js'
import { FINAL, outcome, tool, turn, whileToolSleeps } from './turns.js'

/** What makes a delivery one by this protocol. */
const byAcp = async ({ cli, programs }: Rig, protocolVersion: 1 | 2): Promise<SendOptions> => {
  const { args = [], version, speaksVersion2: _, ...agent } = cli.acp ?? {}
  const folder = version === undefined ? programs : await installed({ ...cli, ...agent }, version)
  const program = join(folder, agent.command ?? cli.command)
  return { program, profile: { acp: { command: program, args, protocolVersion } } }
}

/** A fact of the CLIs that have such an agent, by one version of the protocol. */
const acpFact = (
  name: string,
  usual: string,
  measure: (rig: Rig, options: SendOptions) => Promise<string>,
  others: Record<string, string> = {},
): Fact[] =>
  ([1, 2] as const).map((protocolVersion) => ({
    name: `by ACP${protocolVersion === 1 ? '' : ', version 2'}: ${name}`,
    recorded: ({ command }, { cli: { acp } }) => {
      const speaks = protocolVersion === 1 ? acp !== undefined : acp?.speaksVersion2 === true
      return speaks ? (others[command] ?? usual) : undefined
    },
    measure: async (rig) => measure(rig, await byAcp(rig, protocolVersion)),
  }))

const decisionIn = (events: readonly DeliveryEvent[]): string =>
  events.find((event) => event.type === 'permission')?.decision ?? 'not asked'

export const ACP: readonly Fact[] = [
  ...acpFact(
    'prompt, answer and tokens',
    'whole, "FINAL ANSWER", tokens',
    async (rig, options) => {
      const sent = await turn(rig, [FINAL], options)
      const isWhole = sent.user.some((text) => text.includes('Please do it.'))
      return `${isWhole ? 'whole' : 'changed'}, ${outcome(sent)}, ${sent.result?.usage === undefined ? 'no tokens' : 'tokens'}`
    },
    { gemini: 'whole, "FINAL ANSWER", no tokens' },
  ),
  ...acpFact('768 KB of prompt', 'whole', async (rig, options) => {
    const prompt = `BEGIN ${'漢字 @x $y "quoted"\n'.repeat(32_000)} END`
    const { user, result, error } = await rig.send(prompt, options)
    return user.some((text) => text.includes(prompt)) ? 'whole' : String(error ?? result?.error?.message ?? 'changed')
  }),
  ...acpFact(
    'permission for a tool, refused and granted',
    'denied; granted',
    async (rig, options) => {
      const steps = [tool(rig, 'rm -rf some-file'), FINAL]
      const refused = await turn(rig, steps, { ...options, allows: false })
      const granted = await turn(rig, steps, { ...options, allows: true })
      return `${decisionIn(refused.events)}; ${decisionIn(granted.events)}`
    },
    {
      // It runs commands in its sandbox.
      codex: 'not asked; not asked',
      // It runs them.
      opencode: 'not asked; not asked',
    },
  ),
  ...acpFact('cancelled while its tool runs', 'aborted, session known, nothing left', (rig, options) =>
    whileToolSleeps(rig, async (command, isAsleep) => {
      const controller = new AbortController()
      const sent = turn(rig, [tool(rig, command), FINAL], { ...options, delivery: { signal: controller.signal } })
      if (!(await isAsleep())) return `it does not run its tool: ${outcome(await sent)}`
      controller.abort()
      const { error } = await sent
      return `aborted, session ${error?.sessionId === undefined ? 'not known' : 'known'}`
    }),
  ),
]
