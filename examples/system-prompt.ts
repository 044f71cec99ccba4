/**
 * From a project directory to a prompt: builds the system prompt from the agent, the environment and
 * the project's instructions, and uses it in a `ContextManager`. Prints first what was used, and why
 * other files were not.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ContextManager, InstructionPrompt, SystemPrompt } from 'promptmason'

/** A small project. */
async function makeProject(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'promptmason-example-'))
  await mkdir(join(directory, '.git'))
  await mkdir(join(directory, 'docs'))
  await writeFile(join(directory, 'AGENTS.md'), '- Use strict TypeScript.\n- Every exported function is documented.\n')
  await writeFile(join(directory, 'docs', 'tests.md'), '- Tests come with every change.\n')
  return directory
}

async function main(directory: string): Promise<void> {
  const config = { instructions: ['docs/*.md', 'team-rules.md', 'http://127.0.0.1:1/rules.md'] }

  for (const { source, status, bytes, reason } of await InstructionPrompt.load({ directory, config })) {
    console.log(`${status}: ${source.replace(directory, '.')}${reason ? ` (${reason})` : `, ${bytes} bytes`}`)
  }

  const parts = await SystemPrompt.build({
    agent: { name: 'reviewer', prompt: 'You review changes. Be brief, and name files and lines.' },
    modelID: 'claude-sonnet',
    directory,
    config,
    extra: { Shell: 'bash' },
    transform: (given, { agent }) => [...given, `You are called ${agent.name}.`],
  })
  const conversation = new ContextManager({ maxBytes: 64 * 1024 })
  conversation.setTeamTask('Release the parser')
  const speaker = { id: 'kailai', name: 'kailai', type: 'human' } as const
  conversation.addMessage({ timestamp: new Date(), speaker, content: 'The parser is done.' })
  conversation.addMessage({ timestamp: new Date(), speaker, content: 'Please review src/parser.ts.' })
  const { prompt, systemFlag } = conversation.assembleForAgent('reviewer', 'claude-code', { systemInstruction: parts })
  console.log(`\n── claude --append-system-prompt\n${systemFlag}`)
  console.log(`\n── stdin\n${prompt}`)
}

void makeProject().then((directory) => main(directory).finally(() => rm(directory, { recursive: true })))
