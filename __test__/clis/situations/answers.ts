/** What is an answer, and what is not. */
import type { Fact } from '../facts.js'
import type { Step } from '../provider-streams.js'
import { TOKENS } from '../stand-in.js'
import { FINAL, fact, failure, hasTools, outcome, tool, turn } from './turns.js'

export const ANSWERS: readonly Fact[] = [
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
  fact(
    'a stream that is always cut off',
    'no answer',
    async (rig) => {
      const sent = await turn(rig, [{ text: ['PARTIAL ', 'TEXT'], end: 'cut' }], { timeoutMs: 40_000 })
      return sent.result?.text === undefined ? 'no answer' : outcome(sent)
    },
    // They take it for the whole answer.
    { grok: '"PARTIAL TEXT"', kimi: '"PARTIAL TEXT"' },
  ),
  fact(
    'cut off by the limit of tokens',
    '"PARTIAL TEXT", length',
    async (rig) => outcome(await turn(rig, [{ text: 'PARTIAL TEXT', end: 'length' }])),
    {
      // It asks the model to continue, and gives up after the third time.
      claude: 'interrupted',
      codex: 'interrupted',
      // They do not report it. Qwen makes the model continue.
      gemini: '"PARTIAL TEXT"',
      copilot: '"PARTIAL TEXT"',
      kimi: '"PARTIAL TEXT"',
      grok: 'other',
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
      if (sent.result?.text?.endsWith('FINAL ANSWER') !== true) return outcome(sent)
      return counted >= requests ? 'counted' : 'not told'
    },
  },
  fact(
    'overloaded',
    'rate-limit',
    async (rig) => failure(await turn(rig, [{ fails: 'overloaded' }], { timeoutMs: 15_000 })),
    // They retry for minutes, silently.
    { opencode: 'timed out', qwen: 'timed out', kilo: 'timed out', kimi: 'timed out' },
  ),
]
