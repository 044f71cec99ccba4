/**
 * A coordinator that keeps its conversation in a `ContextManager`. A human asks, three members with
 * different CLIs answer, each seeing what the others have replied, and one of them sums up. The agents
 * are processes that read their prompt from stdin, like the real CLIs, but only report what they got.
 *
 *     npx tsx examples/routed-conversation.ts
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { ContextManager, type ConversationMessage, type RoutingItem } from 'promptmason'

interface Member {
  id: string
  name: string
  agentType: string
  instruction: string
}

const MAX: Member = { id: 'max', name: 'Max', agentType: 'claude-code', instruction: 'You are Max, an architect.' }
const SARAH: Member = {
  id: 'sarah',
  name: 'Sarah',
  agentType: 'openai-codex',
  instruction: 'You are Sarah, a backend engineer.',
}
const LEE: Member = {
  id: 'lee',
  name: 'Lee 李',
  agentType: 'google-gemini',
  instruction: 'You are Lee, a reviewer. 请简短回答。',
}

/** Replaces an agent's CLI: reads all of stdin and reports on stdout what it got. */
const FAKE_AGENT = `
  const chunks = []
  process.stdin.on('data', (chunk) => chunks.push(chunk))
  process.stdin.on('end', () => {
    const prompt = Buffer.concat(chunks)
    const sha256 = require('node:crypto').createHash('sha256').update(prompt).digest('hex')
    const lines = prompt.toString('utf8').split('\\n')
    const option = process.argv.indexOf('--append-system-prompt')
    const flag = option === -1 ? null : process.argv[option + 1]
    process.stdout.write(JSON.stringify({ bytes: prompt.length, sha256, lines, flag }))
  })
`

interface Received {
  bytes: number
  sha256: string
  lines: string[]
  flag: string | null
}

/** Runs a member's agent with the prompt on its stdin. */
const runAgent = (prompt: Buffer, systemFlag: string | undefined): Promise<Received> =>
  new Promise((resolve, reject) => {
    const flag = systemFlag === undefined ? [] : ['--append-system-prompt', systemFlag]
    const child = spawn(process.execPath, ['-e', FAKE_AGENT, '--', ...flag], { stdio: ['pipe', 'pipe', 'inherit'] })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')))
      else reject(new Error(`the agent ended with ${code}`))
    })
    child.stdin.on('error', reject)
    child.stdin.end(prompt)
  })

class ConversationCoordinator {
  readonly #context = new ContextManager({
    contextWindowSize: 4,
    siblingContentMaxLength: 60,
    onMessageAdded: ({ id, speaker, content }) => console.log(`\n${id} ${speaker.name}: ${content}`),
    onTeamTaskChanged: (task) => console.log(`The team works on: ${task}`),
  })

  constructor(teamTask: string) {
    this.#context.setTeamTask(teamTask)
  }

  say(content: string, resolvedAddressees: string[]): ConversationMessage {
    const speaker = { id: 'kailai', name: 'Kailai', type: 'human' }
    return this.#context.addMessage({ speaker, content, timestamp: new Date(), routing: { resolvedAddressees } })
  }

  /** Asks a member to answer a message: sends the prompt through a pipe and adds the answer to the conversation. */
  async sendToAgent(member: Member, parentMessageId: string, intent: string): Promise<ConversationMessage> {
    const route: RoutingItem = { parentMessageId, targetMemberId: member.id, intent }
    const options = { systemInstruction: member.instruction }
    const { prompt, systemFlag } = this.#context.assembleForRoute(member.id, member.agentType, route, options, {
      as: 'buffer',
    })
    // The same prompt as a string, only to check what arrives: a coordinator needs one of the two.
    const expected = this.#context.assembleForRoute(member.id, member.agentType, route, options)

    const received = await runAgent(prompt, systemFlag)
    const sha256 = createHash('sha256').update(expected.prompt, 'utf8').digest('hex')
    console.log(`\n── to ${member.name} (${member.agentType}): ${prompt.length} bytes`)
    for (const line of received.lines) console.log(`   │ ${line}`)
    if (received.flag !== null) console.log(`   └ system flag: ${received.flag}`)
    const arrived =
      received.sha256 === sha256 &&
      received.lines.join('\n') === expected.prompt &&
      received.flag === (expected.systemFlag ?? null)
    console.log(`   ${arrived ? 'arrived' : 'DID NOT ARRIVE'} as assembled: sha256 ${received.sha256}`)

    const content = `I got ${received.bytes} bytes in ${received.lines.length} lines. [NEXT:kailai]\n\`\`\`sh\nsha256sum  prompt # ${received.sha256}\n\`\`\``
    return this.#context.addMessage({
      speaker: { id: member.id, name: member.name, type: 'ai' },
      content,
      timestamp: new Date(),
      routing: { parentMessageId, intent, resolvedAddressees: ['kailai'] },
    })
  }
}

const main = async (): Promise<void> => {
  const coordinator = new ConversationCoordinator('Design the login 🔑')
  coordinator.say('Good morning, everybody. 早上好!', ['all'])
  const question = coordinator.say('Where do the tokens live?\n\n    cookie  or  header\n\n[NEXT:max, sarah, lee]', [
    'max',
    'sarah',
    'lee',
  ])
  await coordinator.sendToAgent(MAX, question.id, 'answer')
  await coordinator.sendToAgent(SARAH, question.id, 'answer')
  await coordinator.sendToAgent(LEE, question.id, 'review')
  const followUp = coordinator.say('Thanks. Max, please sum up. [NEXT:max]', ['max'])
  await coordinator.sendToAgent(MAX, followUp.id, 'summary')
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
