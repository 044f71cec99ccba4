/**
 * Checks what is known of the CLIs on the CLIs themselves:
 *
 *     npm run test:clis                        those versions that `lib/delivery/profiles/` was measured on
 *     npm run test:clis -- --only=claude,qwen  some of them
 *     npm run test:clis -- --latest            the newest versions
 *     npm run test:clis -- --instructions      only which instruction files they read
 *     npm run test:clis -- --facts=tool,cut    only facts with one of these words in their names
 *     npm run test:clis -- --conversation      only 40 turns of `openConversation` with four of them
 *     npm run test:clis -- --transcripts       only whether what they keep of sessions is what was sent
 *     npm run test:clis -- --handoff           only whether each of them can take over from each other
 *     npm run test:clis -- --record            writes `__test__/recordings/` instead; with `--transcripts`,
 *                                              `__test__/transcripts/stages/`
 *
 * They are installed from npm into a cache, get dummy keys, and reach only a stand-in on loopback;
 * if the system allows it, in a separate network namespace.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROFILES } from '../../dist/delivery/profiles/index.js'
import { CLIS, type Cli } from './catalog.js'
import { SPEAKERS, checkConversation } from './conversation.js'
import { FACTS, type Profile } from './facts.js'
import { PARTNERS, checkHandoffs } from './handoffs.js'
import { type Programs, installAll, installed, latestOf } from './install.js'
import { checkInstructions } from './instructions.js'
import { record } from './record.js'
import { type Rig, openRig } from './rig.js'
import { SITUATIONS } from './situations.js'
import { checkTranscripts } from './transcripts/check.js'
import { recordTranscript } from './transcripts/record.js'

/**
 * Empty directories that the sandbox of Codex leaves in the one for temporary files, if it is killed. The
 * next CLI would take what lies there for a repository.
 */
const LEFT_BY_SANDBOXES = ['.git', '.agents', '.codex', '.aws']

const ISOLATED = 'PROMPTMASON_CLIS_ISOLATED'

const args = process.argv.slice(2)
const only = args
  .find((arg) => arg.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',')
const words = args
  .find((arg) => arg.startsWith('--facts='))
  ?.slice('--facts='.length)
  .split(',')
const facts = [...FACTS, ...SITUATIONS].filter(
  ({ name }) => words === undefined || words.some((word) => name.includes(word)),
)
const chosen = CLIS.filter(({ command }) => only === undefined || only.includes(command))

const profileOf = ({ agentType }: Cli): Profile => {
  const profile = PROFILES.find((each) => each.agentType === agentType)
  if (profile === undefined) throw new Error(`there is no profile for ${agentType}`)
  return profile
}

/** Found before the network is gone. */
const install = async (cli: Cli): Promise<Programs[string]> => {
  const version = args.includes('--latest') ? await latestOf(cli) : profileOf(cli).measuredOn
  const programs = await installed(cli, version)
  if (cli.older !== undefined) await installed(cli, cli.older)
  const { version: acpVersion, speaksVersion2: _, ...agent } = cli.acp ?? {}
  if (acpVersion !== undefined) await installed({ ...cli, ...agent }, acpVersion)
  return { version, programs }
}

/** The same program without a network, if the system allows it. */
const isolated = (programs: Programs): number | null | undefined => {
  const namespace = ['--user', '--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  if (spawnSync('unshare', [...namespace, 'true']).status !== 0) return undefined
  const env = { ...process.env, [ISOLATED]: JSON.stringify(programs) }
  return spawnSync('unshare', [...namespace, process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env,
  }).status
}

/** Facts of one CLI as lines of a table. Returns how many have changed. */
const check = async (rig: Rig): Promise<number> => {
  const profile = profileOf(rig.cli)
  let changed = 0
  console.log(`\n## ${rig.cli.command} ${rig.version}\n\n| fact | measured | |\n| --- | --- | --- |`)
  for (const { name, recorded, measure } of facts) {
    const expected = recorded(profile, rig)
    if (expected === undefined) continue
    // oxlint-disable-next-line no-await-in-loop -- they share a home directory
    const measured = await measure(rig, profile).catch((error: unknown) => `error: ${String(error)}`)
    const isSame = measured === expected
    if (!isSame) changed++
    console.log(
      `| ${name} | ${measured.replaceAll('|', '\\|')} | ${isSame ? 'as recorded' : `has changed, was: ${expected}`} |`,
    )
  }
  return changed
}

/** Facts, the instruction files that it reads, and what it keeps of sessions; or one of them. */
const checkCli = async (rig: Rig): Promise<number> => {
  const isAll = words === undefined && !args.includes('--instructions') && !args.includes('--transcripts')
  let changed = 0
  if (isAll || words !== undefined) changed += await check(rig)
  if (isAll || args.includes('--instructions')) changed += await checkInstructions(rig)
  if (isAll || args.includes('--transcripts')) changed += await checkTranscripts(rig)
  return changed
}

const recordOf = (rig: Rig): Promise<void> => (args.includes('--transcripts') ? recordTranscript(rig) : record(rig))

const withRig = async <T>(
  cli: Cli,
  { version, programs }: Programs[string] & object,
  work: (rig: Rig) => Promise<T>,
): Promise<T> => {
  const rig = await openRig(cli, version, programs)
  const before = new Set(readdirSync(tmpdir()))
  try {
    return await work(rig)
  } finally {
    await rig.close()
    const left = LEFT_BY_SANDBOXES.filter((name) => !before.has(name))
    // Only empty ones can be removed like this.
    await Promise.all(left.map((name) => rmdir(join(tmpdir(), name)).catch(() => {})))
  }
}

/** Those of the chosen CLIs that have these commands, all at once. */
const withRigs = async <T>(
  programs: Programs,
  commands: readonly string[],
  work: (rigs: Rig[]) => Promise<T>,
): Promise<T> => {
  const clis = commands.flatMap((command) => chosen.filter((cli) => cli.command === command && programs[command]))
  const open = async (cli: Cli): Promise<Rig> => {
    const { version, programs: folder } = programs[cli.command] as Programs[string] & object
    return openRig(cli, version, folder)
  }
  const rigs = await Promise.all(clis.map(open))
  try {
    return await work(rigs)
  } finally {
    await Promise.all(rigs.map((rig) => rig.close()))
  }
}

/** 40 turns of a conversation, if all CLIs are there that it needs. Returns how much was wrong. */
const converse = (programs: Programs): Promise<number> =>
  withRigs(programs, SPEAKERS, async (rigs) =>
    rigs.length < SPEAKERS.length ? 0 : (await checkConversation(rigs)).length,
  )

/** Handoffs between all pairs of the chosen CLIs. Returns how many have changed. */
const handOff = (programs: Programs): Promise<number> =>
  withRigs(programs, PARTNERS, async (rigs) => (rigs.length < 2 ? 0 : checkHandoffs(rigs)))

const checkAll = async (programs: Programs): Promise<void> => {
  const isRecorded = args.includes('--record')
  const isOnly = (...names: string[]): boolean => names.some((name) => args.includes(`--${name}`))
  const isPart = isRecorded || words !== undefined || isOnly('instructions', 'transcripts')
  let changed = 0
  if (!isPart && !isOnly('handoff')) changed += await converse(programs)
  if (!isPart && !isOnly('conversation')) changed += await handOff(programs)
  for (const cli of isOnly('conversation', 'handoff') ? [] : chosen) {
    const found = programs[cli.command]
    if (found === undefined) continue
    // oxlint-disable-next-line no-await-in-loop -- they would take time from each other
    changed += (await withRig(cli, found, async (rig) => (isRecorded ? recordOf(rig) : checkCli(rig)))) ?? 0
  }
  if (isRecorded) return
  console.log(
    `\n${changed === 0 ? 'Everything is as recorded.' : `${changed} ${changed === 1 ? 'fact has' : 'facts have'} changed.`}`,
  )
  process.exitCode = changed === 0 ? 0 : 1
}

const main = async (): Promise<void> => {
  const given = process.env[ISOLATED]
  if (given !== undefined) return checkAll(JSON.parse(given) as Programs)
  const programs = await installAll(chosen, install, console.log)
  const status = isolated(programs)
  if (status !== undefined) {
    process.exitCode = status ?? 1
    return
  }
  console.log('This system has no network name spaces: the CLIs could reach the network.')
  await checkAll(programs)
}

// What runs is ended when this process exits, which a signal alone would not make it do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 2
})
