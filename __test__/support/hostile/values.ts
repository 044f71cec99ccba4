/** Values that no caller should pass, each created on request. */

/** What one run does with its values: what they throw, and what they call. */
export interface Run {
  /** Everything that the caller's code has thrown. */
  readonly thrown: Set<unknown>
  /** Calls the library again, in the middle of a call. */
  reenter(): void
}

/** Throws a recognizable error. */
export const throwMine = (run: Run): never => {
  const mine = new Error('thrown by the caller')
  run.thrown.add(mine)
  throw mine
}

const LENGTHS = [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 53, -1, NaN, Infinity, 'x', 2n, null] as const

const detached = (): Uint8Array => {
  const memory = new Uint8Array(64)
  structuredClone(memory.buffer, { transfer: [memory.buffer] })
  return memory
}

/** The types of ES2022 do not have them; Node 20 does. */
const resizable = (bytes: number, maxByteLength: number): ArrayBuffer & { resize(bytes: number): void } =>
  Reflect.construct(ArrayBuffer, [bytes, { maxByteLength }])
const growable = (bytes: number, maxByteLength: number): SharedArrayBuffer & { grow(bytes: number): void } =>
  Reflect.construct(SharedArrayBuffer, [bytes, { maxByteLength }])

/** A view of 64 bytes, of which the memory has only 8 left. */
const outOfBounds = (): Uint8Array => {
  const memory = resizable(64, 128)
  const view = new Uint8Array(memory, 16, 32)
  memory.resize(8)
  return view
}

const cyclic = (): object => {
  const object: Record<string, unknown> = { from: 'a', content: 'x' }
  return Object.assign(object, { self: object, to: [object], speaker: object })
}

/** A proxy each of whose traps throws. */
const throwing = (target: object, run: Run): object =>
  new Proxy(target, new Proxy({}, { get: () => () => throwMine(run) }))

const revoked = (target: object): object => {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

/** An array, for `isArray`, whose length is anything. */
const lying = (length: unknown): unknown[] =>
  new Proxy([] as unknown[], { get: (target, key) => (key === 'length' ? length : Reflect.get(target, key)) })

const HUGE_TEXT = '中 text\n'.repeat(40_000)

/** By name, so that a counterexample can be read. */
export const VALUES: Record<string, (run: Run, n: number) => unknown> = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  number: (_, n) => [0, -0, 1, -1, 1.5, NaN, Infinity, -Infinity, 2 ** 31, 2 ** 32, 2 ** 53, 1e300][n % 12],
  bigint: () => 2n ** 64n,
  symbol: () => Symbol('hostile'),
  function: () => () => undefined,
  'a function that throws': (run) => () => throwMine(run),
  'an async function that throws': (run) => () => {
    const rejected = (async () => throwMine(run))()
    // Not all functions wait for what they are given.
    rejected.catch(() => {})
    return rejected
  },
  'a function that calls again': (run) => () => run.reenter(),
  'empty text': () => '',
  'lone surrogates': () => '\udc4d half \ud83d',
  'NUL and controls': () => 'a\0b\u001b[31m\r\n\u2028\ufeff',
  'a long text': () => HUGE_TEXT,
  __proto__: () => '__proto__',
  'a String object': () => Object('text'),
  'a Number object': () => Object(5),
  'an invalid Date': () => new Date(NaN),
  'a RegExp': () => /x/g,
  'a Map': () => new Map([[1, 2]]),
  'a Set': () => new Set(['a']),
  'a Promise': () => Promise.resolve('x'),
  'no prototype': () => Object.create(null),
  'an object': () => ({ a: 1 }),
  'a cyclic object': cyclic,
  'an instance': () =>
    new (class Hostile {
      get content(): string {
        return 'x'
      }
    })(),
  'a frozen array': () => Object.freeze(['a', 'b']),
  'an array with holes': () => Object.assign([], { 1: 'a', 3: 'b' }),
  'an array of any length': (_, n) => Object.assign([], { length: [1, 1000, 2 ** 31, 2 ** 32 - 1][n % 4] }),
  'text, then holes': (_, n) => Object.assign(['a', 'b'], { length: [3, 1000, 2 ** 32 - 1][n % 3] }),
  'an array with a false length': (_, n) => lying(LENGTHS[n % LENGTHS.length]),
  'an object with a length': (_, n) => ({ length: LENGTHS[n % LENGTHS.length], 0: 'a' }),
  'an array in itself': () => {
    const array: unknown[] = ['a']
    array.push(array)
    return array
  },
  'an array subclass': () =>
    new (class Hostile extends Array {
      override get length(): number {
        return 3
      }
    })(),
  'typed array': (_, n) =>
    [
      new Uint8Array(8),
      new Uint16Array(8),
      new Float64Array(2),
      new BigInt64Array(2),
      new Int8Array(0),
      new Uint8ClampedArray(300),
    ][n % 6],
  'a Buffer': (_, n) => Buffer.alloc(n * 400, 0xff),
  'a DataView': () => new DataView(new ArrayBuffer(8)),
  'an ArrayBuffer': () => new ArrayBuffer(64),
  'detached memory': detached,
  'memory out of bounds': outOfBounds,
  'resizable memory': () => new Uint8Array(resizable(300, 1 << 20)),
  'shared memory': () => new Uint8Array(new SharedArrayBuffer(300)),
  'growing shared memory': () => new Uint8Array(growable(300, 1 << 20)),
  'a proxy that throws': (run) => throwing({}, run),
  'an array proxy that throws': (run) => throwing([], run),
  'a function proxy that throws': (run) => throwing(() => undefined, run),
  'a revoked proxy': () => revoked({}),
  'a revoked array proxy': () => revoked([]),
  globalThis: () => globalThis,
}
