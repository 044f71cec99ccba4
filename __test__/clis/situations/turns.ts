/** Scripted turns, and their outcomes. */
import type { DeliveryEvent } from 'promptmason'
import type { Fact } from '../facts.js'
import { eventually, processesWith } from '../processes.js'
import type { Step } from '../provider-streams.js'
import { type Rig, type SendOptions, type Sent, openRig } from '../rig.js'
import type { Response } from '../stand-in.js'

export const hasTools = (body: any): boolean => (body?.tools ?? []).length > 0

/** The requests of the turn get these answers in order, and then the last one repeatedly. */
export const script = (rig: Rig, ...steps: Response[]): void => {
  let next = 0
  rig.standIn.respond = ({ body }) => {
    if (!hasTools(body) || rig.cli.isAside?.(body) === true) return undefined
    return steps[Math.min(next++, steps.length - 1)]
  }
}

/** Sends a prompt with a scripted turn. */
export const turn = async (
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

export const failure = ({ result, error }: Sent): string =>
  error?.timedOut === true ? 'timed out' : (result?.error?.code ?? error?.code ?? 'no error')

/** The outcome of a turn, in a few words. */
export const outcome = (sent: Sent): string => {
  const { result } = sent
  if (result?.text === undefined) return failure(sent)
  const reason = result.finishReason === undefined || result.finishReason === 'stop' ? '' : `, ${result.finishReason}`
  return `${JSON.stringify(result.text)}${reason}`
}

let sleepers = 0

/**
 * A command that never ends, with a unique name: the file of that name is missing. Some
 * CLIs do not run a long `sleep`, and some change quotes.
 */
export const sleeper = (): { command: string; name: string; isAsleep: () => Promise<boolean> } => {
  const name = `pm-tool-${process.pid}-${sleepers++}`
  const isAsleep = (): Promise<boolean> => eventually(() => processesWith(`\0${name}`).length > 0)
  return { command: `tail -f /dev/null ${name}`, name, isAsleep }
}

/** A turn whose tool sleeps, and what ends it then. Returns what is left of it. */
export const whileToolSleeps = async (
  rig: Rig,
  run: (command: string, isAsleep: () => Promise<boolean>) => Promise<string>,
) => {
  const { command, name, isAsleep } = sleeper()
  const said = await run(command, isAsleep)
  const isGone = await eventually(() => processesWith(name).length === 0, 5000)
  for (const id of processesWith(name)) kill(id)
  return `${said}, ${isGone ? 'nothing left' : 'its tool is left'}`
}

export const tool = (rig: Rig, command: string): Step => ({ text: 'Let me look.', tools: [rig.cli.shell(command)] })

export const FINAL: Step = { text: ['FINAL ', 'ANSWER'] }

export const kill = (id: number): void => {
  try {
    process.kill(id, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}

/** A fact that is the same for all CLIs, but for some. */
export const fact = (
  name: string,
  usual: string,
  measure: Fact['measure'],
  others: Record<string, string | undefined> = {},
): Fact => ({
  name,
  recorded: ({ command }) => (command in others ? others[command] : usual),
  measure,
})

/** The same CLI in a new home directory, set up in another way. */
export const anew = async <T>(
  rig: Rig,
  cli: Rig['cli'],
  retries: boolean,
  work: (other: Rig) => Promise<T>,
): Promise<T> => {
  const other = await openRig(cli, rig.version, rig.programs, retries)
  try {
    return await work(other)
  } finally {
    await other.close()
  }
}
