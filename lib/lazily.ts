/** Functions whose file is loaded when one of them is first called: many callers only assemble. */

const { fromEntries } = Object

export function lazily<T, N extends keyof T & string>(load: () => T, names: readonly N[]): Pick<T, N>
export function lazily(load: () => Record<string, (...args: unknown[]) => unknown>, names: readonly string[]): object {
  const later = (name: string) => ({ [name]: (...args: unknown[]) => load()[name]?.(...args) })[name]
  return fromEntries(names.map((name) => [name, later(name)]))
}
