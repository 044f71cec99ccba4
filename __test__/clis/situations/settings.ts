/** CLIs by their own settings, without any, and without permission. */
import type { Fact } from '../facts.js'
import type { Response } from '../stand-in.js'
import { FINAL, anew, fact, failure, outcome, tool, turn } from './turns.js'

export const SETTINGS: readonly Fact[] = [
  fact(
    'too many requests, by its own settings',
    'no event, last seen silent',
    (rig) =>
      anew(rig, rig.cli, true, async (other) => {
        const limits: Response[] = [{ fails: 'rate-limit', retryAfterSeconds: 5 }]
        const { events, error, result } = await turn(other, limits, { timeoutMs: 20_000 })
        const isTold = events.some(({ type }) => type === 'retry')
        if (error?.timedOut !== true) return `${isTold ? 'an event' : 'no event'}, ${result?.error?.code}`
        return `${isTold ? 'an event' : 'no event'}, last seen ${error.lastSeen}`
      }),
    {
      claude: 'an event, last seen rate-limit',
      codex: 'an event, last seen rate-limit',
      gemini: 'no event, last seen rate-limit',
      copilot: 'an event, last seen rate-limit',
      pi: 'an event, rate-limit',
      grok: 'no event, rate-limit',
    },
  ),
  fact(
    'cut off once, by its own settings',
    '"WHOLE TEXT"',
    (rig) =>
      anew(rig, rig.cli, true, async (other) => {
        const steps: Response[] = [{ text: ['PARTIAL ', 'TEXT'], end: 'cut' }, { text: ['WHOLE ', 'TEXT'] }]
        return outcome(await turn(other, steps, { timeoutMs: 60_000 }))
      }),
    {
      kilo: 'interrupted',
      // They take the incomplete answer for the whole.
      grok: '"PARTIAL TEXT"',
      kimi: '"PARTIAL TEXT"',
    },
  ),
  {
    name: 'not configured',
    // The others wait for a missing network.
    recorded: ({ command }) => (['claude', 'gemini', 'qwen'].includes(command) ? 'not-logged-in' : undefined),
    measure: (rig) =>
      anew(rig, { ...rig.cli, prepare: async () => ({}) }, false, async (other) =>
        failure(await other.send('hello', { timeoutMs: 30_000 })),
      ),
  },
  fact(
    'a tool that is not allowed',
    '"FINAL ANSWER", 1 denied',
    async (rig) => {
      const sent = await turn(rig, [tool(rig, 'rm -rf some-file'), FINAL], { allows: false })
      return `${outcome(sent)}, ${sent.result?.denials?.length ?? 0} denied`
    },
    {
      // On stderr only.
      codex: '"FINAL ANSWER", 0 denied',
      // They run it.
      opencode: '"FINAL ANSWER", 0 denied',
      kilo: '"FINAL ANSWER", 0 denied',
      copilot: '"FINAL ANSWER", 0 denied',
      pi: '"FINAL ANSWER", 0 denied',
      // The turn ends there.
      grok: 'interrupted, 1 denied',
    },
  ),
  fact(
    'the prompt alone',
    'as it is',
    async (rig) => {
      const { user } = await rig.send('A prompt\nof two lines.')
      const text = user.find((each) => each.includes('A prompt\nof two lines.')) ?? ''
      return text === 'A prompt\nof two lines.' ? 'as it is' : JSON.stringify(text.slice(-24))
    },
    {
      qwen: JSON.stringify('A prompt\nof two lines.\n\n'),
      // The date stands before it.
      copilot: JSON.stringify('\n\nA prompt\nof two lines.'),
      grok: JSON.stringify('two lines.\n</user_query>'),
    },
  ),
  fact(
    'the end of a turn',
    'at once',
    async (rig) => {
      let last = 0
      const onEvent = (): void => {
        last = Date.now()
      }
      await rig.send('hello', { delivery: { onEvent } })
      return Date.now() - last < 2000 ? 'at once' : 'seconds after its last event'
    },
    { kilo: 'seconds after its last event' },
  ),
]
