/** Reads what other code has thrown. It may be anything, and reading it may throw again. */

const UNREADABLE = 'something that cannot be read was thrown'

export const messageOf = (thrown: unknown): string => {
  try {
    const { message } = (thrown ?? {}) as { message?: unknown }
    return typeof message === 'string' ? message : String(thrown)
  } catch {
    return UNREADABLE
  }
}

/** A property of it. Undefined if it has none, or if it cannot be read. */
export const propertyOf = (thrown: unknown, name: string): unknown => {
  try {
    return (thrown as Readonly<Record<string, unknown>> | null | undefined)?.[name]
  } catch {
    return undefined
  }
}
