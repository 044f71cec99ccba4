/** Turns valid arguments into hostile ones: a value in them, or how they behave while they are read. */
import { types } from 'node:util'
import fc from 'fast-check'
import { throwMine, VALUES, type Run } from './values.js'

/** One change, as data. */
export interface Attack {
  /** Where in the arguments: an index or key at each level, modulo how many there are. */
  at: number[]
  how: string
  n: number
}

type Container = Record<PropertyKey, unknown>
type Behaviour = (container: Container, key: string, run: Run, n: number) => void

/** Objects that an attack has created, which are hostile to the test, too. */
const made = new WeakSet<object>()

/** Whether a value is a good object or array, which can be changed. */
const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' &&
  value !== null &&
  !made.has(value) &&
  !ArrayBuffer.isView(value) &&
  !types.isDate(value) &&
  !Object.isFrozen(value)

/** Replaces a property by a getter. */
const getter =
  (read: (original: unknown, reads: number, container: Container, run: Run, n: number) => unknown): Behaviour =>
  (container, key, run, n) => {
    const original = Object.getOwnPropertyDescriptor(container, key)?.value
    let reads = 0
    const get = () => read(original, reads++, container, run, n)
    Object.defineProperty(container, key, { configurable: true, enumerable: true, get, set: () => {} })
  }

/** Replaces an object by a proxy of it. */
const proxy =
  (handler: (original: object, run: Run, n: number) => ProxyHandler<object>): Behaviour =>
  (container, key, run, n) => {
    const original = Object.getOwnPropertyDescriptor(container, key)?.value
    if (isContainer(original)) container[key] = new Proxy(original, handler(original, run, n))
  }

const junk = (n: number): unknown => [undefined, 5, null, 'other', [], { content: 7 }, Symbol('junk')][n % 7]

/** Changes an object while it is read. */
const disturb = (container: Container, n: number): void => {
  if (Array.isArray(container)) Reflect.set(container, 'length', n % 3)
  else
    for (const key of Object.keys(container).slice(n % 4)) {
      // A getter that is there already stays: it would call this again.
      if (Object.getOwnPropertyDescriptor(container, key)?.get === undefined) Reflect.set(container, key, junk(n))
    }
}

const BEHAVIOURS: Record<string, Behaviour> = {
  'a getter that throws': getter((_, _reads, _container, run) => throwMine(run)),
  'a getter that throws later': getter((original, reads, _container, run, n) =>
    reads > n % 3 ? throwMine(run) : original,
  ),
  'a getter that answers otherwise each time': getter((original, reads, _container, _run, n) =>
    reads % 2 === 0 ? original : junk(n),
  ),
  'a getter that changes its object': getter((original, _reads, container, _run, n) => {
    disturb(container, n)
    return original
  }),
  'a getter that calls again': getter((original, _reads, _container, run) => {
    run.reenter()
    return original
  }),
  'a proxy that throws later': proxy((_, run, n) => {
    let reads = 0
    return { get: (target, key) => (reads++ > n ? throwMine(run) : Reflect.get(target, key)) }
  }),
  'a proxy that answers otherwise each time': proxy((_, _run, n) => {
    let reads = 0
    return { get: (target, key) => (reads++ % 3 === 2 ? junk(n) : Reflect.get(target, key)) }
  }),
  'a proxy that changes its object': proxy((original, _run, n) => {
    let reads = 0
    return {
      get: (target, key) => {
        if (reads++ === n) disturb(original as Container, n)
        return Reflect.get(target, key)
      },
    }
  }),
  'a proxy that calls again': proxy((_, run) => ({
    get: (target, key) => {
      run.reenter()
      return Reflect.get(target, key)
    },
  })),
  'a proxy with other keys': proxy(() => ({
    ownKeys: () => ['agentType', 'from', 'content', 'length', Symbol.iterator],
    getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: 5 }),
  })),
  'a frozen object': (container, key) => {
    const value = Object.getOwnPropertyDescriptor(container, key)?.value
    if (isContainer(value)) Object.freeze(value)
  },
  'a cycle': (container, key) => void (container[key] = container),
  'an element or field that is missing': (container, key) => void delete container[key],
}

/** Whether it changes the value and not how it is read. */
const isOfValue = (how: string): boolean => !how.startsWith('a getter')

export const attack: fc.Arbitrary<Attack> = fc.record({
  at: fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }),
  how: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...Object.keys(VALUES)) },
    { weight: 2, arbitrary: fc.constantFrom(...Object.keys(BEHAVIOURS)) },
  ),
  n: fc.nat(11),
})

/** Applies the attacks to valid arguments. */
export const attacked = (args: unknown[], attacks: readonly Attack[], run: Run): unknown[] => {
  made.add(args)
  for (const { at, how, n } of attacks) {
    let container = args as unknown as Container
    let key = ''
    for (const [level, step] of at.entries()) {
      const keys = Object.keys(container)
      key = keys[step % keys.length] ?? '0'
      const next = Object.getOwnPropertyDescriptor(container, key)?.value
      if (level === at.length - 1 || !isContainer(next) || Object.keys(next).length === 0) break
      container = next
    }
    const value = VALUES[how]
    // The arguments themselves are not read by the library.
    if (value !== undefined) container[key] = value(run, n)
    else if ((container as unknown) !== args || isOfValue(how)) BEHAVIOURS[how]?.(container, key, run, n)
    const changed = Object.getOwnPropertyDescriptor(container, key)?.value
    if (typeof changed === 'object' && changed !== null) made.add(changed)
  }
  return args
}
