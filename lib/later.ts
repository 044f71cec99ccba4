/** Functions whose file is loaded when one of them is first called: many callers only assemble. */

type Functions = Record<string, (...args: unknown[]) => unknown>

/** The function of this name. */
export function later<T, N extends keyof T & string>(load: () => T, name: N): T[N]
export function later(load: () => Functions, name: string) {
  return { [name]: (...args: unknown[]) => load()[name]?.(...args) }[name]
}

/** An object with the functions of these names. */
export function allLater<T, N extends keyof T & string>(load: () => T, names: readonly N[]): Pick<T, N>
export function allLater(load: () => Functions, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, later(load, name)]))
}
