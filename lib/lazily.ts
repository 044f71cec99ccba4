/** Functions whose file is loaded when one of them is first called: many callers only assemble. */

const { fromEntries } = Object

export const lazily = <T extends Record<string, any>, N extends keyof T & string>(
  load: () => T,
  names: readonly N[],
): Pick<T, N> => {
  const later = (name: N) => ({ [name]: (...args: unknown[]) => load()[name](...args) })[name]
  return fromEntries(names.map((name) => [name, later(name)])) as any
}
