/** Rules of an API, by what they say, and whether a request obeys each. */
export type Rule<Request> = readonly [rule: string, obeys: (request: Request) => boolean]

/** The rules that a request breaks. A request that cannot be read breaks the rule at which that shows. */
export const brokenRules = <Request>(rules: readonly Rule<Request>[], request: Request): string[] =>
  rules
    .filter(([, obeys]) => {
      try {
        return !obeys(request)
      } catch {
        return true
      }
    })
    .map(([rule]) => rule)

export const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

export const areUnique = (ids: readonly unknown[]): boolean => new Set(ids).size === ids.length

/** Whether two lists have the same elements, in any order. */
export const sameElements = (a: readonly string[], b: readonly string[]): boolean =>
  JSON.stringify(a.toSorted()) === JSON.stringify(b.toSorted())
