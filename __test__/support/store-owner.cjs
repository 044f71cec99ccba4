'use strict'
/**
 * A process that owns a conversation in a store, and runs commands: one JSON line of stdin is a
 * call `[method, …arguments]` of the store, and one of stdout its answer `[value]` or `{ code, message }`.
 *
 *     node store-owner.cjs file <directory> | redis <url> | ioredis <url>
 */
const { createInterface } = require('node:readline')
const { fileStore, redisStore } = require('../../index.js')

const [kind, place] = process.argv.slice(2)

const open = async () => {
  if (kind === 'file') return fileStore(place)
  if (kind === 'ioredis') {
    const { Redis } = require('ioredis')
    return redisStore(new Redis(place).on('error', () => {}))
  }
  const client = require('redis').createClient({ url: place })
  client.on('error', () => {})
  await client.connect()
  return redisStore(client)
}

/** A program that keeps running when this process has ended. */
const startSleeper = () =>
  require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], {
    detached: true,
    stdio: 'ignore',
  }).pid ?? 0

const main = async () => {
  const store = await open()
  for await (const line of createInterface({ input: process.stdin })) {
    const [method, ...args] = JSON.parse(line)
    const result = method === 'sleeper' ? startSleeper() : store[method](...args)
    const answer = await Promise.resolve(result).then(
      (value) => [value],
      ({ code, message }) => ({ code, message }),
    )
    process.stdout.write(`${JSON.stringify(answer)}\n`)
  }
  process.exit(0)
}
main()
