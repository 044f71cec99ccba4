/** Everything that is compared. Peers are optional: they are installed separately. */
import { bestJs } from './best-js.mjs'
import { bestStatefulJs } from './best-stateful-js.mjs'
import { linearJs } from './linear-js.mjs'
import { contextManager, promptmason } from './promptmason.mjs'
import { quadraticJs } from './quadratic-js.mjs'

/**
 * @typedef {object} Candidate
 * @property {string} name
 * @property {{ string: string, bytes: string, into: string }} [forms] What its forms are called, if they have names.
 * @property {(workload: import('../workloads.mjs').Workload) => string | undefined} [skip] Why it cannot run a workload.
 * @property {(message: import('../workloads.mjs').Message) => any} [messageOf] A message as it wants it, made in advance.
 * @property {(fixed: import('../workloads.mjs').Fixed) => import('./stateless.mjs').Conversation} start
 */

/** @type {Candidate[]} */
export const OWN = [promptmason, contextManager]

/** @type {Candidate[]} */
export const JAVASCRIPT = [linearJs, bestJs, bestStatefulJs, quadraticJs]

const PEERS = [
  { file: './langchain.mjs', name: 'langchain', of: '@langchain/core' },
  { file: './prompt-tsx.mjs', name: 'promptTsxPriorities', of: '@vscode/prompt-tsx' },
]

/**
 * The peers that are installed, and the names of those that are not.
 * @returns {Promise<{ peers: Candidate[], missing: string[] }>}
 */
export async function loadPeers() {
  const loaded = await Promise.all(
    PEERS.map(async ({ file, name, of }) => {
      try {
        const module = await import(file)
        return { of, peer: module[name] }
      } catch (error) {
        if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error
        return { of, peer: undefined }
      }
    }),
  )
  return {
    peers: loaded.flatMap(({ peer }) => peer ?? []),
    missing: loaded.filter(({ peer }) => !peer).map(({ of }) => of),
  }
}
