/** Who may see which message, once more, as plainly as possible. */

/** A message: the names of its sender, the id first; each addressee is a text, or the names of one object, the id first. */
export interface Addressed {
  from: readonly string[]
  to: readonly (string | readonly string[])[]
}

const plain = (name: string): string => name.toWellFormed().trim().toLowerCase()
const namesIn = (text: string, isName: (name: string) => boolean): string[] => {
  const pieces = text.split(/([,，、])/)
  let end = pieces.length
  while (end > 1 && !isName(plain(pieces.slice(0, end).join('')))) end -= 2
  const rest = pieces.slice(end + 1).join('')
  return [plain(pieces.slice(0, end).join('')), ...(end < pieces.length ? namesIn(rest, isName) : [])]
}

/** Whether somebody who is asked for by one name may see a message; `all` are the messages from which members are known. */
export const maySee = (recipient: string, { from, to }: Addressed, all: readonly Addressed[]): boolean => {
  const members = all.map((message) => message.from.map(plain))
  const isId = (name: string): boolean => members.some(([id]) => id === name)
  const having = (name: string): Set<string | undefined> =>
    new Set(members.filter((names) => names.includes(name)).map(([id]) => id))
  const meaning = (name: string): string =>
    !isId(name) && having(name).size === 1 ? ([...having(name)][0] ?? name) : name
  const me = plain(recipient)
  const isMe = (name: string): boolean =>
    name !== '' && meaning(name) === meaning(me) && (isId(meaning(me)) || name === me)
  const isAddressed = (addressee: string | readonly string[]): boolean => {
    if (typeof addressee === 'string')
      return namesIn(addressee, (name) => name === me || having(name).size > 0).some(
        (name) => name === 'all' || isMe(name),
      )
    const names = addressee.map(plain)
    const [best = ''] = names.filter(isId).concat(names)
    const isKnown = isId(best) || having(best).size === 1
    return (
      names.every((name) => name === 'all') ||
      isMe(best) ||
      (!isKnown && names.some((name) => having(name).size === 0 && isMe(name)))
    )
  }
  return (
    to.every((addressee) => typeof addressee === 'string' && addressee.trim() === '') ||
    to.some(isAddressed) ||
    isMe(plain(from[0] ?? ''))
  )
}
