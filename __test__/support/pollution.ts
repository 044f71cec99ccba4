/** Properties on Object.prototype, for the time of a test. Every file that uses this calls `afterEach(unpollute)`. */
const polluted: PropertyKey[] = []

export const pollute = (key: PropertyKey, property: PropertyDescriptor): void => {
  polluted.push(key)
  // oxlint-disable-next-line no-extend-native
  Object.defineProperty(Object.prototype, key, { ...property, configurable: true })
}

export const unpollute = (): void => {
  for (const key of polluted.splice(0)) Reflect.deleteProperty(Object.prototype, key)
}
