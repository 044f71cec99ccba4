/** The fields of an object, of which those that may be undefined may be missing. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** An object without its undefined fields. */
export function present<const T extends object>(fields: T): Present<T>
export function present(fields: Readonly<Record<string, unknown>>): object {
  // A copy, because assigning a field may call a setter on a prototype.
  const kept: Record<string, unknown> = { ...fields }
  for (const name in kept) if (kept[name] === undefined) delete kept[name]
  return kept
}
