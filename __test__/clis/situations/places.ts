/** Unusual working directories. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fact } from '../facts.js'
import { anew, fact, failure, outcome } from './turns.js'

export const PLACES: readonly Fact[] = [
  fact('directories with odd names', 'whole, whole, whole', async (rig) => {
    const fates: string[] = []
    for (const name of ['with space', 'it\'s "quoted" $HOME `id`', '漢字 é 😀']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const cwd = join(await rig.project(), name)
      // oxlint-disable-next-line no-await-in-loop -- the same
      await mkdir(cwd)
      // oxlint-disable-next-line no-await-in-loop -- the same
      const { result, error } = await rig.send('hello', { cwd })
      fates.push(result?.text === 'ANSWER' ? 'whole' : (result?.error?.code ?? String(error)))
    }
    return fates.join(', ')
  }),
  fact(
    'a home directory that cannot be written to',
    // Most say so, and do not start.
    'other',
    (rig) =>
      // A new one: what a CLI has stored there before changes what it does.
      anew(rig, rig.cli, false, async (other) => {
        const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
        const wrapper = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', mount, other.home]
        const sent = await other.send('hello', { wrapper, timeoutMs: 40_000 })
        return sent.result?.text === undefined ? failure(sent) : 'answers'
      }),
    { claude: 'answers' },
  ),
  fact('inside the session of another agent', 'answers', async (rig) => {
    const inherits = {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SESSION_ID: '11111111-2222-4333-8444-555555555555',
      CODEX_SANDBOX: 'seatbelt',
      CODEX_THREAD_ID: '11111111-2222-4333-8444-555555555555',
      GEMINI_CLI: '1',
      OPENCODE: '1',
      QWEN_CODE: '1',
      COPILOT_CLI: '1',
    }
    const sent = await rig.send('hello', { inherits })
    return sent.result?.text === 'ANSWER' ? 'answers' : outcome(sent)
  }),
  fact('a debugger in NODE_OPTIONS', 'answers', async (rig) => {
    const sent = await rig.send('hello', { inherits: { NODE_OPTIONS: '--inspect=127.0.0.1:9229' } })
    return sent.result?.text === 'ANSWER' ? 'answers' : outcome(sent)
  }),
  fact('one session, two turns at once', 'ERR_BUSY', async (rig) => {
    const cwd = await rig.project()
    const resume = (await rig.send('hello', { cwd })).result?.sessionId ?? 'none'
    const [first, second] = await Promise.all([rig.send('one', { cwd, resume }), rig.send('two', { cwd, resume })])
    return (
      [first, second]
        .map((sent) => (sent.result?.text === undefined ? failure(sent) : 'answers'))
        .toSorted()
        .at(0) ?? ''
    )
  }),
]
