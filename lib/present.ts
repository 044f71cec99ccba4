/** The fields of an object, of which those that may be undefined may be missing. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** An object without its undefined fields. */
export const present = <const T extends object>(fields: T) =>
  // Only the fields that may be missing are.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
