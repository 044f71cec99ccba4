/**
 * Deep copies of data, for snapshots. Plain objects, arrays, Dates, Maps, Sets, typed arrays, ArrayBuffers and
 * DataViews are copied like `structuredClone` does, except that a Buffer stays a Buffer, and only the elements of an
 * array are copied. An object that occurs twice in the original is a single object in the copy, too, so cycles
 * terminate. Getters are read.
 *
 * Everything else is shared: functions, symbols, class instances and other objects with a prototype of their own, and
 * what is meant to be shared, such as a SharedArrayBuffer. Only their class knows how to copy them.
 *
 * A work list replaces recursion: data may be nested deeper than the stack.
 */
import { types } from 'node:util'

const { getOwnPropertyDescriptor, getOwnPropertySymbols, getPrototypeOf, hasOwn, keys } = Object
const { apply, construct } = Reflect
const { concat } = Array.prototype
const { isArray } = Array
const { getTime } = Date.prototype
const { isBuffer } = Buffer
const typedArrayName = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)
  ?.get as () => string

/** For a longer array, only the existing elements are read: it may consist of holes. */
const MAX_INDICES = 100_000

/** A longer array is copied by its keys: some engines would look for every element of it. */
const MAX_CONCATENATED = 1_000_000

const TYPED_ARRAYS = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
}

const isTypedArrayName = (name: string): name is keyof typeof TYPED_ARRAYS => hasOwn(TYPED_ARRAYS, name)

/** Whether an object is plain: made by a literal or by `JSON.parse`, in any realm. */
export const isPlain = (value: object) => {
  const prototype = getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return true
  // The prototype of plain objects in another realm.
  return getPrototypeOf(prototype) === null && hasOwn(prototype, 'hasOwnProperty') && hasOwn(prototype, 'isPrototypeOf')
}

/** A field of a plain object; only own properties count. */
export const own = (source: Readonly<Record<string, unknown>>, name: string) =>
  hasOwn(source, name) ? source[name] : undefined

const copyArray = (array: unknown[]): unknown[] => {
  if (array.length <= MAX_CONCATENATED) return apply(concat, [], [array])
  const copy: unknown[] = []
  copy.length = array.length
  for (const key of keys(array)) {
    const index = Number(key)
    // Other properties of an array are not copied.
    if (String(index >>> 0) === key) copy[index] = array[index]
  }
  return copy
}

const copyTypedArray = (array: object): object => {
  if (isBuffer(array)) return Buffer.from(array)
  const name = apply(typedArrayName, array, [])
  return isTypedArrayName(name) ? construct(TYPED_ARRAYS[name], [array]) : array
}

const copyDataView = (view: DataView) => {
  const { buffer, byteOffset, byteLength } = view
  return types.isArrayBuffer(buffer) ? new DataView(buffer.slice(byteOffset, byteOffset + byteLength)) : view
}

/** A copy of memory; the same object if the memory is gone, or if it is not memory. */
const copyMemory = (value: object): object => {
  try {
    if (types.isTypedArray(value)) return copyTypedArray(value)
    if (types.isArrayBuffer(value)) return value.slice(0)
    if (types.isDataView(value)) return copyDataView(value)
  } catch {
    // Detached, or its buffer was shrunk: there is nothing to copy.
  }
  return value
}

/** Copies values; what one copier has copied before is not copied again. */
export class Copier {
  #copies: Map<object, object> = new Map()
  /** Copies that still have parts of the original in them. */
  #unfinished: Set<object> = new Set()

  /** A copy of the own enumerable properties of an object, whatever its prototype. */
  copyProperties<T extends object>(object: T): T {
    const copy = { ...object }
    this.#copies.set(object, copy)
    this.#unfinished.add(copy)
    // The loop also reaches items added meanwhile.
    for (const unfinished of this.#unfinished) {
      this.#unfinished.delete(unfinished)
      this.#finish(unfinished)
    }
    return copy
  }

  #copyOf(value: unknown) {
    if (typeof value !== 'object' || value === null) return value
    const known = this.#copies.get(value)
    if (known !== undefined) return known
    const copy = this.#begin(value)
    this.#copies.set(value, copy)
    return copy
  }

  /** A shallow copy, whose parts still belong to the original. */
  #begin(value: object): object {
    let copy: object
    if (isArray(value)) copy = copyArray(value)
    else if (isPlain(value)) copy = getPrototypeOf(value) === null ? { __proto__: null, ...value } : { ...value }
    else if (types.isDate(value)) return new Date(apply(getTime, value, []))
    else if (types.isMap(value)) copy = new Map(apply(Map.prototype.entries, value, []))
    else if (types.isSet(value)) copy = new Set(apply(Set.prototype.values, value, []))
    else return copyMemory(value)
    this.#unfinished.add(copy)
    return copy
  }

  /** Replaces the original's parts with copies. */
  #finish(copy: object) {
    if (types.isMap(copy)) {
      const entries = [...copy]
      copy.clear()
      for (const [key, value] of entries) copy.set(this.#copyOf(key), this.#copyOf(value))
    } else if (types.isSet(copy)) {
      const values = [...copy]
      copy.clear()
      for (const value of values) copy.add(this.#copyOf(value))
    } else if (isArray(copy) && copy.length <= MAX_INDICES) {
      for (let index = 0; index < copy.length; index++) this.#finishProperty(copy, index)
    } else {
      for (const key of keys(copy)) this.#finishProperty(copy, key)
      for (const key of getOwnPropertySymbols(copy)) this.#finishProperty(copy, key)
    }
  }

  #finishProperty(copy: object, key: PropertyKey) {
    const properties = copy as Record<PropertyKey, unknown>
    const value = properties[key]
    // The copy has the property itself, so no setter of its prototype is called.
    if (typeof value === 'object' && value !== null && hasOwn(copy, key)) properties[key] = this.#copyOf(value)
  }
}
