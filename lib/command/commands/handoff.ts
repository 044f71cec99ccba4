/** `promptmason handoff`: makes the prompt with which another agent continues, and can start that agent. */
import { makeError } from '../../errors.js'
import { visible, visibleLine } from '../../explain/page/words.js'
import { type Call, type Command, type Surroundings, UsageError } from '../command.js'
import { checkDirectory } from '../directory.js'
import { pictureOf } from '../picture.js'
import { AGENTS, TOKENIZER_OPTION, choicesOf } from '../prompt-options.js'
import { READABLE, SESSION_OPTIONS, readSession } from '../session-options.js'
import type { AssemblerReportOutput as Handoff } from '../../prompts/results.js'
import type { Transcript } from '../../transcripts/transcripts.js'
import type { DeliveryResult } from '../../delivery/events.js'

const NAMES = { teamTask: 'what it is', parent: 'first task', siblings: 'done so far', context: 'conversation' }

const account = ({ agent, session, file }: Transcript, { prompt, report }: Handoff, { stderr, env }: Surroundings) => {
  // The number of lists is meaningless.
  const sections = report.sections.map((section) => {
    const { itemsBefore: _, itemsAfter: __, ...others } = section
    return section.name === 'context' ? section : others
  })
  return [
    `from ${agent} ${visibleLine(session)} (${visibleLine(file)})`,
    ...pictureOf({ prompt, report: { ...report, sections } }, stderr, env, { names: NAMES }),
    '',
  ].join('\n')
}

/** Starts the agent, and prints its output as it arrives. */
const deliverTo = async (
  handoff: Handoff,
  agentType: string,
  cwd: string | undefined,
  { switches, surroundings, progress }: Call,
) => {
  const { planDelivery } =
    require('../../delivery/plan-delivery.js') as typeof import('../../delivery/plan-delivery.js')
  const { deliver } = require('../../delivery/deliver.js') as typeof import('../../delivery/deliver.js')
  const { stdout, stderr } = surroundings
  progress.say(`waiting for ${agentType}`)
  const plan = planDelivery(handoff, { agentType, ...(cwd !== undefined && { cwd }) })
  for (const { message } of plan.warnings) stderr.write(`${visibleLine(message)}\n`)
  const isShown = !switches.has('json')
  let ending = '\n'
  const onText = (text: string) => {
    if (!isShown || text === '') return
    progress.end()
    stdout.write(stdout.isTTY ? visible(text) : text)
    ending = text.endsWith('\n') ? '' : '\n'
  }
  const result = await deliver(plan, { onText })
  if (result.error !== undefined) throw noAnswer(agentType, result)
  if (isShown) stdout.write(ending)
  return result
}

const noAnswer = (agentType: string, { error, exitCode, sessionId, delivered }: DeliveryResult) =>
  makeError('Error', `${agentType} has given no answer: ${error?.message}`, {
    code: 'ERR_NO_ANSWER',
    reason: error?.code,
    exitCode,
    sessionId,
    delivered,
  })

export const handoff: Command = {
  name: 'handoff',
  args: [],
  about: 'Print the prompt with which another agent continues a session',
  details: 'The account of what was left out goes to stderr.',
  options: {
    from: { value: 'CLI', about: 'the CLI that has stored the session', choices: READABLE, fields: ['agent'] },
    to: { value: 'TYPE', about: 'the agent that takes over', choices: AGENTS, fields: ['to'] },
    ...SESSION_OPTIONS,
    message: { value: 'TEXT', about: 'what it should do now; by default, continue' },
    'max-bytes': { value: 'N', about: 'the budget in bytes', fields: ['maxBytes'] },
    'max-tokens': { value: 'N', about: 'the budget in tokens; by default, 50000', fields: ['maxTokens'] },
    tokenizer: TOKENIZER_OPTION,
    redact: { about: 'replace what looks like keys and tokens of providers (the default)' },
    'no-redact': { about: 'keep keys and tokens' },
    run: { about: 'start the agent with the prompt, in the directory of the session, and print its answer' },
  },

  async run(call) {
    const { values, switches, surroundings, progress } = call
    const { from, to, message } = values
    if (from === undefined) throw new UsageError(`handoff needs --from: ${READABLE.join(', ')}`)
    if (to === undefined) throw new UsageError(`handoff needs --to: ${AGENTS.join(', ')}`)
    if (switches.has('redact') && switches.has('no-redact'))
      throw new UsageError('--redact and --no-redact cannot both be done')
    const { maxBytes, maxTokens, tokenizer } = choicesOf(values)
    const transcript = await readSession(from, call)
    const directory = values['cwd'] ?? transcript.cwd
    if (switches.has('run') && directory !== undefined) checkDirectory(directory, ': pass another one as --cwd')
    progress.say('making the prompt')
    const redact = !switches.has('no-redact')
    const { buildHandoff, DEFAULT_MAX_TOKENS } =
      require('../../handoff/handoff.js') as typeof import('../../handoff/handoff.js')
    const options = { to, message, maxBytes, maxTokens: maxTokens ?? DEFAULT_MAX_TOKENS, tokenizer, redact }
    const made = buildHandoff(transcript, options, { report: true })
    const { agent, session, file, cwd } = transcript
    const value = { from: { agent, session, file, cwd }, prompt: made.prompt, report: made.report }
    if (!switches.has('json')) {
      progress.end()
      surroundings.stderr.write(account(transcript, made, surroundings))
    }
    if (!switches.has('run')) {
      const text = () => (surroundings.stdout.isTTY ? `${visible(made.prompt)}\n` : made.prompt)
      return { value, text }
    }
    const result = await deliverTo(made, to, directory, call)
    return { value: { ...value, result }, text: () => '' }
  },
}
