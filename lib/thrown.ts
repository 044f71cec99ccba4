/** Reads what other code has thrown. It may be anything, and reading it may throw again. */

const UNREADABLE = 'something that cannot be read was thrown'

export const messageOf = (thrown: any) => {
  try {
    return typeof thrown?.message === 'string' ? thrown.message : String(thrown)
  } catch {
    return UNREADABLE
  }
}

/** A property of it. Undefined if it has none, or if it cannot be read. */
export const propertyOf = (thrown: any, name: string) => {
  try {
    return thrown?.[name]
  } catch {
    return undefined
  }
}
