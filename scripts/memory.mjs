/**
 * Checks that resident memory stays flat over many calls: `npm run test:memory`, with `-- --quick` for
 * fewer calls. Further arguments select kinds by name. Each kind runs in a separate process, so none
 * benefits from memory that another has freed. The kind `leak` must grow, which proves that the check
 * detects leaks.
 */
import { spawnSync } from 'node:child_process'

const SAMPLES = 20
const MIB = 1024 * 1024
/** Calls before the first sample, in which the engine compiles hot code and grows its heap. */
const WARM_UP = 1000
/**
 * How much the last quarter may exceed the second. The engine and the allocator take and release pages,
 * mostly at the beginning, which is all that a quick run covers. A quick run still detects every call
 * that keeps its texts; the whole run detects 13 bytes that a prompt leaves behind.
 */
const TOLERANCE = { quick: 10 * MIB, whole: 6 * MIB }

/** Waits for the event loop: native finalizers run only then. */
const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

const TEXT = 'The build fails on 中文 paths; see src/paths.rs, line 42. '.repeat(4)
const TOKENS = { maxTokens: 400, tokenizer: 'o200k' }
const contextMessages = Array.from({ length: 20 }, (_, index) => ({
  from: `member ${index % 3}`,
  content: `${index} ${TEXT}`,
}))

const assemblerWith =
  (form, { maxTokens, tokenizer } = {}) =>
  ({ CodexContextAssembler }) => {
    const assembler = new CodexContextAssembler({ tokenizer })
    return (index) =>
      assembler.assemble(
        { contextMessages, currentMessage: `message ${index}`, teamTask: 'task', maxBytes: 3000, maxTokens },
        form,
      )
  }

const spoken = (index) => ({ speaker: { id: `member-${index % 3}`, name: 'M' }, content: `${index} ${TEXT}` })

/** The conversation restarts from time to time: one that only grows would legitimately use more memory. */
const managerWith =
  (form, options = {}) =>
  ({ ContextManager }) => {
    const manager = new ContextManager({ contextWindowSize: 20, maxBytes: 3000, ...options })
    return (index) => {
      if (index % 500 === 0) manager.clear()
      if (index % 5 === 0) manager.addMessage(spoken(index))
      manager.assembleForAgent('a', 'codex', undefined, form)
    }
  }

const managers =
  ({ ContextManager }) =>
  (index) => {
    const manager = new ContextManager({ onMessageAdded: () => manager })
    for (let added = 0; added < 3; added++) manager.addMessage(spoken(index + added))
    manager.assembleForAgent('a', 'codex')
  }

const snapshots = ({ ContextManager }) => {
  const manager = new ContextManager()
  for (let index = 0; index < 100; index++) manager.addMessage(spoken(index))
  return (index) => {
    const snapshot = manager.exportSnapshot()
    manager.importSnapshot(index % 2 === 0 ? snapshot : JSON.parse(JSON.stringify(snapshot)))
  }
}

/** A name that is a piece of a large text must not keep that text. */
const slicedNames = ({ CodexContextAssembler }) => {
  const assembler = new CodexContextAssembler()
  const large = 'x'.repeat(2 ** 18)
  return (index) => {
    const from = (String(index).padStart(20, 'n') + large).slice(0, 20)
    assembler.assemble({
      contextMessages: [{ from, content: 'c' }],
      currentMessage: 'x',
      teamTask: null,
      maxBytes: 1000,
    })
  }
}

const cleared = ({ ContextManager }) => {
  const manager = new ContextManager()
  return (index) => {
    for (let added = 0; added < 20; added++) manager.addMessage(spoken(index + added))
    manager.clear()
  }
}

/** A prompt is begun in native code. If a getter throws before it is finished, it must not stay there. */
const abandoned = ({ CodexContextAssembler }) => {
  const assembler = new CodexContextAssembler()
  const throwing = {
    get from() {
      throw new Error('thrown by a getter')
    },
    content: '',
  }
  const messages = [throwing, ...contextMessages]
  return (index) => {
    try {
      assembler.assemble({
        contextMessages: messages,
        currentMessage: `message ${index}`,
        teamTask: null,
        maxBytes: 2 ** 20,
      })
    } catch {
      return
    }
    throw new Error('the getter was not called')
  }
}

/** Native turns are remembered, but only for some agents. */
const turnsOfMany = ({ ContextManager }) => {
  const manager = new ContextManager({ maxBytes: 3000 })
  for (let index = 0; index < 20; index++) manager.addMessage(spoken(index))
  return (index) => manager.assembleForAgent(`agent ${index}`, 'codex', { systemInstruction: `${index} ${TEXT}` })
}

/** Rejected input must leave nothing behind. */
const refused = ({ ContextManager }) => {
  const manager = new ContextManager()
  for (let index = 0; index < 100; index++) manager.addMessage(spoken(index))
  const snapshot = manager.exportSnapshot()
  const bad = [
    () => manager.importSnapshot({ ...snapshot, messages: [...snapshot.messages, null] }),
    () => manager.addMessage({ content: TEXT.repeat(100), speaker: {} }),
  ]
  return () => {
    for (const attempt of bad) {
      try {
        attempt()
      } catch {
        continue
      }
      throw new Error('it was not refused')
    }
  }
}

/** JavaScript holds little of such a manager. Nothing forces a garbage collection, so the engine has to know its real size. */
const heavyManagers = ({ ContextManager }) => {
  const large = 'x'.repeat(2 ** 20)
  return () => {
    const manager = new ContextManager({ onMessageAdded: () => manager })
    for (let added = 0; added < 8; added++) manager.addMessage({ speaker: { id: 'a' }, content: large })
  }
}

/** Keeps a message of every call: shows that growth is noticed. */
const leak = ({ ContextManager }) => {
  const manager = new ContextManager()
  return (index) => manager.addMessage(spoken(index))
}

const KINDS = {
  'assembler-string': { calls: 1_000_000, quick: 40_000, begin: assemblerWith({ as: 'string' }) },
  'assembler-string-tokens': { calls: 1_000_000, quick: 40_000, begin: assemblerWith({ as: 'string' }, TOKENS) },
  'assembler-buffer': { calls: 1_000_000, quick: 40_000, begin: assemblerWith({ as: 'buffer' }) },
  'assembler-buffer-tokens': { calls: 1_000_000, quick: 40_000, begin: assemblerWith({ as: 'buffer' }, TOKENS) },
  'manager-string': { calls: 1_000_000, quick: 40_000, begin: managerWith({ as: 'string' }) },
  'manager-string-tokens': { calls: 1_000_000, quick: 40_000, begin: managerWith({ as: 'string' }, TOKENS) },
  'manager-buffer': { calls: 1_000_000, quick: 40_000, begin: managerWith({ as: 'buffer' }) },
  'manager-buffer-tokens': { calls: 1_000_000, quick: 40_000, begin: managerWith({ as: 'buffer' }, TOKENS) },
  'manager-into': { calls: 1_000_000, quick: 40_000, begin: managerWith({ into: Buffer.alloc(4000) }) },
  'manager-report': { calls: 100_000, quick: 10_000, begin: managerWith({ report: true }) },
  'manager-cleared': { calls: 50_000, quick: 2000, begin: cleared },
  'sliced-names': { calls: 10_000, quick: 1000, begin: slicedNames },
  abandoned: { calls: 100_000, quick: 10_000, begin: abandoned },
  'turns-of-many': { calls: 100_000, quick: 10_000, begin: turnsOfMany },
  refused: { calls: 10_000, quick: 1000, begin: refused },
  'managers-heavy': { calls: 400, quick: 200, begin: heavyManagers, most: 800 * MIB },
  'managers-dropped': { calls: 100_000, quick: 5000, begin: managers },
  snapshots: { calls: 10_000, quick: 2000, begin: snapshots },
  leak: { calls: 100_000, quick: 40_000, begin: leak, leaks: true },
}

/** In the process of one kind: the resident memory at each sample, in bytes. */
const measure = async ({ begin, most }, calls) => {
  const call = begin(await import('promptmason'))
  const perSample = calls / SAMPLES
  const perTurn = Math.max(1, Math.floor(perSample / 50))
  const samples = []
  const warmUp = Math.min(WARM_UP, calls)
  for (let index = 0; index < warmUp; index++) {
    call(index)
    // oxlint-disable-next-line no-await-in-loop -- one after another
    if (most !== undefined) await turn()
  }
  await turn()
  for (let index = warmUp; samples.length < SAMPLES; ) {
    const end = warmUp + Math.round(perSample * (samples.length + 1))
    while (index < end) {
      for (const stop = Math.min(end, index + perTurn); index < stop; index++) call(index)
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await turn()
    }
    const rounds = most === undefined ? 3 : 0
    for (let round = 0; round < rounds; round++) {
      globalThis.gc()
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await turn()
    }
    samples.push(process.memoryUsage.rss())
  }
  return samples
}

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]

/** The second quarter and the last: in the first, caches fill and code is compiled. */
const quarters = (samples) => [samples.slice(SAMPLES / 4, SAMPLES / 2), samples.slice(-SAMPLES / 4)].map(median)

/** Runs a kind, prints its line, and returns whether its memory passes. */
const isRight = (name, calls, tolerance) => {
  const { most, leaks = false } = KINDS[name]
  const begun = performance.now()
  // Node 24 keeps growing the young generation, even if nothing is kept.
  const args = ['--expose-gc', '--max-semi-space-size=8', import.meta.filename, '--measure', name, String(calls)]
  const { status, signal, stdout } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) {
    console.log(`${name}: the process ended with ${signal ?? status}`)
    return false
  }
  const samples = JSON.parse(stdout)
  const [early, late] = quarters(samples)
  // A kind with a limit may use all of it.
  const flat = most === undefined ? late - early <= tolerance : Math.max(...samples) <= most
  const mib = (bytes) => (bytes / MIB).toFixed(1)
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  console.log(
    `${flat ? 'flat ' : 'GROWS'}  ${name.padEnd(24)} ${calls.toLocaleString('en').padStart(9)} calls  ${mib(early)} MiB → ${mib(late)} MiB  (${seconds} s)`,
  )
  return flat !== leaks
}

const [first, ...rest] = process.argv.slice(2)
if (first === '--measure') {
  const [name, calls] = rest
  process.stdout.write(JSON.stringify(await measure(KINDS[name], Number(calls))))
} else {
  const asked = process.argv.slice(2)
  const isQuick = asked.includes('--quick')
  const names = asked.filter((argument) => argument !== '--quick')
  const unknown = names.filter((name) => !Object.hasOwn(KINDS, name))
  if (unknown.length > 0)
    throw new Error(`No such kind: ${unknown.join(', ')}. There are: ${Object.keys(KINDS).join(', ')}`)
  const chosen = Object.entries(KINDS).filter(([name]) => names.length === 0 || names.includes(name))
  // All kinds run, even after one has failed.
  const found = chosen.map(([name, { calls, quick }]) =>
    isQuick ? isRight(name, quick, TOLERANCE.quick) : isRight(name, calls, TOLERANCE.whole),
  )
  process.exitCode = found.every(Boolean) ? 0 : 1
}
