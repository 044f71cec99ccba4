'use strict'
/** A program that stands in for a CLI. Its first argument says what it does, the second how much. */
const { createHash } = require('node:crypto')
const { spawn } = require('node:child_process')
const { existsSync, readFileSync, statSync, writeFileSync, writeSync } = require('node:fs')
const { dirname } = require('node:path')

const [, , mode, amount = ''] = process.argv
const print = (/** @type {object} */ event) => process.stdout.write(`${JSON.stringify(event)}\n`)
const hash = (/** @type {string | Buffer} */ text) => createHash('sha256').update(text).digest('hex')
/** What an agent says between its tools. */
const say = (/** @type {string} */ text) => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } })
const answer = (/** @type {string} */ text) =>
  print({ type: 'result', is_error: false, num_turns: 1, session_id: 's', result: text })

const isAlive = (/** @type {number} */ pid) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const readAll = async () => {
  const chunks = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const modes = {
  /** Says what it was given, byte for byte. */
  async echo() {
    const stdin = await readAll()
    const args = process.argv.slice(3).map((argument) => ({ bytes: Buffer.byteLength(argument), hash: hash(argument) }))
    answer(
      JSON.stringify({ stdin: { bytes: stdin.length, hash: hash(stdin) }, args, cwd: process.cwd(), env: process.env }),
    )
  },
  /** The same of a file whose path is the last argument. */
  async file() {
    const path = process.argv.at(-1) ?? ''
    const access = (/** @type {string} */ name) => (statSync(name).mode & 0o777).toString(8)
    await readAll()
    answer(
      JSON.stringify({ path, hash: hash(readFileSync(path)), file: access(path), directory: access(dirname(path)) }),
    )
  },
  /** Answers, and never looks at stdin. */
  deaf: () => answer('deaf'),
  /** Closes stdin at once, and answers later. */
  closed() {
    process.stdin.destroy()
    setTimeout(answer, 100, 'closed')
  },
  /** Never reads and never ends. */
  stuck() {
    writeFileSync(amount, String(process.pid))
    setInterval(() => {}, 1000)
  },
  /** The same, and ignores SIGTERM. */
  stubborn() {
    process.on('SIGTERM', () => {})
    modes.stuck()
  },
  /** Has a child that never ends and ignores signals; `amount` gets its id. */
  family() {
    const program =
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stdout.write(String(process.pid))"
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.once('data', (pid) => writeFileSync(amount, String(pid)))
    setInterval(() => {}, 1000)
  },
  /** Has a child in its own session, like tools of CLIs; `amount` gets its id. */
  tool() {
    const program =
      "setInterval(() => {}, 1000); require('node:fs').writeFileSync(process.argv[1], String(process.pid))"
    spawn(process.execPath, ['-e', program, amount], { stdio: 'ignore', detached: true })
    setInterval(() => {}, 1000)
  },
  /** The same of a grandchild whose parent has ended. */
  background() {
    spawn(process.execPath, [__filename, 'short-lived', amount], { stdio: 'ignore', detached: true })
    setInterval(() => {}, 1000)
  },
  'short-lived': () =>
    spawn(process.execPath, [__filename, 'outliving', amount, String(process.pid)], {
      stdio: 'ignore',
      detached: true,
    }).unref(),
  outliving() {
    const parent = Number(process.argv[4])
    setInterval(() => {
      if (!isAlive(parent)) writeFileSync(amount, String(process.pid))
    }, 20)
  },
  /** The same of one that has a clean environment, too. The prompt has started it. */
  async daemon() {
    await readAll()
    spawn(process.execPath, [__filename, 'short-lived', amount], { stdio: 'ignore', detached: true, env: {} })
    setInterval(() => {}, 1000)
  },
  /** Answers, and leaves a tool in its background that ignores SIGTERM; `amount` gets its id. */
  async leave() {
    const program = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stdout.write('x')"
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
    await new Promise((resolve) => {
      child.stdout.once('data', resolve)
    })
    writeFileSync(amount, String(child.pid))
    answer('left')
    process.exit()
  },
  /** Ends on SIGTERM, but cleans up first: ends a tool and writes to a file. */
  async tidy() {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true })
    process.on('SIGTERM', () => {
      setTimeout(() => {
        child.kill('SIGKILL')
        writeFileSync(`${amount}.tidy`, 'done')
        process.exit(0)
      }, 300)
    })
    writeFileSync(amount, String(process.pid))
  },
  /** Writes events forever, faster than they are read. */
  flood() {
    const event = JSON.stringify({ type: 'stream_event', event: { type: 'content_block_delta', delta: { text: 'x' } } })
    const events = `${event}\n`.repeat(10_000)
    for (;;) writeSync(1, events)
  },
  /** Answers, and leaves a child behind that writes forever; `amount` gets its id. */
  leak() {
    const child = spawn(process.execPath, [__filename, 'flood'], { stdio: 'inherit', detached: true })
    child.unref()
    writeFileSync(amount, String(child.pid))
    answer('leak')
  },
  /** Answers and ends, and leaves a child behind that keeps stdout open; `amount` gets its id. */
  async orphan() {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'inherit', detached: true })
    child.unref()
    writeFileSync(amount, String(child.pid))
    answer('gone')
  },
  /** Writes this many megabytes before it reads a byte. */
  async loud() {
    const line = `${JSON.stringify(say('x'.repeat(1024 * 1024)))}\n`
    const written = Array.from(
      { length: Number(amount) },
      () =>
        new Promise((resolve) => {
          process.stdout.write(line, resolve)
        }),
    )
    await Promise.all(written)
    answer(String((await readAll()).length))
  },
  /** Writes this many megabytes and an answer, and exits without waiting until they are read. */
  async hasty() {
    await readAll()
    for (let each = 0; each < Number(amount); each++) print(say('x'.repeat(1024 * 1024)))
    answer('hasty')
    process.exit(0)
  },
  /** Says something, and answers when a file is there. */
  async patient() {
    print({ type: 'assistant', message: { model: '<synthetic>', content: [{ type: 'text', text: 'waiting' }] } })
    const timer = setInterval(() => {
      if (!existsSync(amount)) return
      clearInterval(timer)
      answer('patient')
    }, 20)
    await readAll()
  },
  /** Writes what it was given to stdout and stderr, in pieces that split characters, and ends with a code. */
  async say() {
    await readAll()
    const [stdout = '', stderr = '', code = '0'] = process.argv.slice(3)
    for (const byte of Buffer.from(stdout)) writeSync(1, Buffer.of(byte))
    writeSync(2, stderr)
    process.exitCode = Number(code)
  },
  /** Says its arguments. */
  args: () => answer(JSON.stringify(process.argv.slice(3))),
  /** Says something of a session, and never ends. */
  talk() {
    print({ type: 'system', subtype: 'init', session_id: 's', model: 'm' })
    print(say('I am about to'))
    setInterval(() => {}, 1000)
  },
  /** Writes what it was given to stdout and stderr, and never ends. */
  hang() {
    const [stdout = '', stderr = ''] = process.argv.slice(3)
    writeSync(1, `${stdout}\n`)
    writeSync(2, `${stderr}\n`)
    setInterval(() => {}, 1000)
  },
  /** Writes text this many times, slowly, and answers. */
  slow() {
    let left = Number(amount)
    const timer = setInterval(() => {
      if (left-- > 0) return print(say('.'))
      clearInterval(timer)
      answer('slow')
    }, 400)
  },
  /** A turn of Codex in a session that has used this many tokens. */
  codex() {
    const tokens = Number(amount)
    print({ type: 'thread.started', thread_id: process.argv.at(-2) === '--resume' ? process.argv.at(-1) : 'thread-1' })
    print({ type: 'item.completed', item: { type: 'agent_message', text: 'done' } })
    print({ type: 'turn.completed', usage: { input_tokens: tokens, output_tokens: tokens } })
  },
  /** The same, and it does not end. */
  linger() {
    modes.codex()
    setInterval(() => {}, 1000)
  },
  /** opencode, whose answer is cut off repeatedly. */
  again() {
    setInterval(() => {
      print({ type: 'step_start', sessionID: 's' })
      print({ type: 'text', sessionID: 's', part: { text: 'PARTIAL' } })
      print({ type: 'step_finish', sessionID: 's', part: { reason: 'unknown' } })
    }, 20)
  },
  /** Ends by a signal. */
  async die() {
    await readAll()
    process.kill(process.pid, 'SIGKILL')
    setInterval(() => {}, 1000)
  },
}

void modes[/** @type {keyof typeof modes} */ (mode)]()
