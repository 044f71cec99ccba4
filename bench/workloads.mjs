/**
 * The workloads. Each is a conversation, oldest message first. Its last message is the one to act on,
 * the others are context. Sizes in KB are UTF-8 bytes.
 */
import { texts } from './text.mjs'

/**
 * @typedef {{ from: string, to: string, content: string }} Message
 * @typedef {{ systemInstruction: string, teamTask: string, maxBytes: number }} Fixed
 *   The part of the input that stays the same throughout a conversation.
 * @typedef {object} Workload
 * @property {string} id
 * @property {string} title
 * @property {'ascii' | 'cjk' | 'mixed'} kind
 * @property {boolean} [session] Whether a prompt is made after every message, not after the last one alone.
 * @property {number} count How many messages there are, the current one not counted.
 * @property {number} characters How long each message is.
 * @property {number} [currentCharacters] How long the current one is, if not the same.
 * @property {Fixed} fixed
 */

const KIB = 1024

const TEAM = ['max', 'sarah', 'carol', 'Human', 'dave']
const TO = ['all', 'sarah', 'max, carol', 'all']

/** How many characters of each kind make a kilobyte. */
const KB = { ascii: 1024, cjk: 344, mixed: 516 }

/** @returns {Fixed} */
const fixed = (maxBytes) => ({
  systemInstruction: 'You are Max, who reviews what the others write. Be brief, be exact, and say what you checked.',
  teamTask: 'Ship the importer: it reads the old files, keeps their dates, and reports what it could not read.',
  maxBytes,
})

const DEFAULT_BUDGET = 768 * KIB

/** @type {Workload[]} */
export const WORKLOADS = [
  { id: 'tiny', title: '5 × 200 characters', kind: 'ascii', count: 5, characters: 200 },
  { id: 'mixed', title: '10 × 2 KB, ASCII and CJK mixed', kind: 'mixed', count: 10, characters: 2 * KB.mixed },
  { id: 'kept', title: '500 × 1 KB ASCII, all kept', kind: 'ascii', count: 500, characters: KB.ascii },
  { id: 'ascii', title: '5,000 × 1 KB ASCII, trimmed to 768 KB', kind: 'ascii', count: 5000, characters: KB.ascii },
  { id: 'cjk', title: '5,000 × 1 KB CJK, trimmed to 768 KB', kind: 'cjk', count: 5000, characters: KB.cjk },
  {
    id: 'many-ascii',
    title: '50,000 × 200 characters ASCII, trimmed to 768 KB',
    kind: 'ascii',
    count: 50_000,
    characters: 200,
  },
  {
    id: 'many-cjk',
    title: '50,000 × 200 characters CJK, trimmed to 768 KB',
    kind: 'cjk',
    count: 50_000,
    characters: 200,
  },
  {
    id: 'huge',
    title: 'a message of 20 MB, cut to 768 KB',
    kind: 'ascii',
    count: 20,
    characters: KB.ascii,
    currentCharacters: 20 * KIB * KIB,
  },
  {
    id: 'quadratic',
    title: '1,000 × 3 KB ASCII, trimmed to 768 KB',
    kind: 'ascii',
    count: 1000,
    characters: 3 * KB.ascii,
  },
  // A budget that a conversation of this length fills early: 64 KB is about 16,000 tokens.
  {
    id: 'session-ascii',
    title: '2,000 turns of 200 characters ASCII, a prompt of up to 64 KB after each',
    kind: 'ascii',
    session: true,
    count: 1999,
    characters: 200,
    fixed: fixed(64 * KIB),
  },
  {
    id: 'session-cjk',
    title: '2,000 turns of 200 characters CJK, a prompt of up to 64 KB after each',
    kind: 'cjk',
    session: true,
    count: 1999,
    characters: 200,
    fixed: fixed(64 * KIB),
  },
].map((workload) => Object.assign({ fixed: fixed(DEFAULT_BUDGET) }, workload))

/** Conversations of increasing length, each trimmed to the same 768 KB. */
export const HISTORIES = [5000, 50_000, 100_000].map((count) => ({
  id: `history-${count}`,
  title: `${count.toLocaleString('en')} messages`,
  kind: /** @type {const} */ ('ascii'),
  count,
  characters: 200,
  fixed: fixed(DEFAULT_BUDGET),
}))

/** @returns {Workload} */
export function workloadById(id) {
  const found = [...WORKLOADS, ...HISTORIES].find((workload) => workload.id === id)
  if (!found) throw new Error(`There is no workload ${id}`)
  return found
}

/**
 * The messages of a workload, the current one last. The names are few, as in a team.
 * @param {Workload} workload
 * @returns {Message[]}
 */
export function messagesOf({ kind, count, characters, currentCharacters = characters }) {
  const text = texts(kind)
  return Array.from({ length: count + 1 }, (_, index) => ({
    from: TEAM[index % TEAM.length],
    to: TO[index % TO.length],
    content: text(index === count ? currentCharacters : characters),
  }))
}
