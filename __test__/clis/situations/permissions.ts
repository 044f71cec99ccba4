/** What an agent may do: whether a command runs that makes a file. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type DeliveryOptions, planDelivery } from 'promptmason'
import type { Fact } from '../facts.js'
import type { Rig } from '../rig.js'
import { FINAL, failure, outcome, tool, turn } from './turns.js'

const canBeLimited = ({ cli: { agentType } }: Rig): boolean => {
  try {
    planDelivery({ prompt: 'x' }, { agentType, permissions: 'read-only' })
    return true
  } catch {
    return false
  }
}

/** What happens to the command. */
const fate = async (rig: Rig, permissions: DeliveryOptions['permissions']): Promise<string> => {
  const cwd = await rig.project()
  const steps = [tool(rig, 'touch made-by-tool'), FINAL]
  const sent = await turn(rig, steps, { cwd, allows: false, permissions, timeoutMs: 60_000 })
  if (existsSync(join(cwd, 'made-by-tool'))) return 'runs'
  return sent.result?.text === undefined ? `does not run (${failure(sent)})` : 'does not run'
}

const NOT_WITH_EDIT = 'does not run, does not run, runs'

const EXPECTED: Record<string, string> = {
  // Some commands are edits. Root may not allow everything.
  claude: 'does not run, runs, does not run (other)',
  // Commands that write in the project run in its sandbox.
  codex: 'does not run, runs, runs',
}

export const PERMISSIONS: readonly Fact[] = [
  {
    name: 'a command with permissions read-only, edit and all',
    recorded: ({ command }, rig) => (canBeLimited(rig) ? (EXPECTED[command] ?? NOT_WITH_EDIT) : undefined),
    measure: async (rig) => {
      const fates: string[] = []
      for (const permissions of ['read-only', 'edit', 'all'] as const) {
        // oxlint-disable-next-line no-await-in-loop -- they share a home directory
        fates.push(await fate(rig, permissions))
      }
      return fates.join(', ')
    },
  },
  {
    name: 'a permission that it asks for, and nobody is there',
    recorded: ({ command }) => (command === 'opencode' ? 'permission-denied, 1 denied' : undefined),
    measure: async (rig) => {
      const environment = { OPENCODE_PERMISSION: '{"bash":"ask"}' }
      const sent = await turn(rig, [tool(rig, 'touch made-by-tool'), FINAL], { allows: false, environment })
      return `${outcome(sent)}, ${sent.result?.denials?.length ?? 0} denied`
    },
  },
]
