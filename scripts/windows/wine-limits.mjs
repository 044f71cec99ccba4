/**
 * What fails because of Wine, not of Windows. A test that fails is one of these if its name contains
 * one of `names` and its error matches `message`; each is optional.
 * @type {{ reason: string, names?: string[], message?: RegExp }[]}
 */
export const WINE_LIMITS = [
  {
    reason: "cannot connect a socket in the way in which Node's event loop does",
    message: /connect UNKNOWN|fetch failed/,
  },
]
