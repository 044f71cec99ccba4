/** A second, plain implementation of who may see which message. */

/** An addressee: a text, or an object. */
export type To = string | { ids: readonly string[]; name?: string | undefined }
/** A message: the names of its sender, the id first, and its addressees. */
export interface Addressed {
  from: readonly string[]
  to: readonly To[]
}

const plain = (name: string): string =>
  name.toWellFormed().trim().toLowerCase().toUpperCase().toLowerCase().normalize('NFC')
const pieces = (text: string): string[] =>
  text
    .split(/[,，、]/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
const namesIn = (text: string, isName: (name: string) => boolean): string[] => {
  const parts = text.split(/([,，、])/)
  let end = parts.length
  while (end > 1 && !isName(plain(parts.slice(0, end).join('')))) end -= 2
  const rest = parts.slice(end + 1).join('')
  return [plain(parts.slice(0, end).join('')), ...(end < parts.length ? namesIn(rest, isName) : [])]
}
/** Whether neighbouring names of a list are, together, one name. */
const hasRun = (text: string, name: string): boolean => {
  const parts = text.split(/([,，、])/)
  const starts = parts.map((_, start) => start).filter((start) => start % 2 === 0)
  return starts.some((start) =>
    starts.some((end) => end >= start && plain(parts.slice(start, end + 1).join('')) === name),
  )
}

/** In a manager: who a message is for is decided when it is added, and kept. */
export class VisibilityReference {
  /** All names of each member, by id. */
  readonly #members = new Map<string, Set<string>>()
  #messages: Seen[] = []
  /** Ids and names, in the order in which they were learned. */
  readonly #learned: [string, string][] = []

  /** The ids of those who have a name, or the one whose id it is. */
  #having(name: string): string[] {
    if (this.#members.has(name)) return [name]
    return [...this.#members].filter(([, names]) => names.has(name)).map(([id]) => id)
  }

  speak(from: readonly string[]): string {
    const [id = '', ...others] = from.map(plain)
    const names = this.#members.get(id) ?? new Set<string>()
    for (const name of [...(this.#members.has(id) ? [] : [id]), ...others]) {
      const isFirst = this.#having(name).length === 0
      this.#learned.push([id, name])
      this.#members.set(id, names.add(name))
      if (isFirst) for (const message of this.#messages) bind(message, name, name === id, id)
    }
    return id
  }

  add({ from, to }: Addressed): void {
    const sender = this.speak(from)
    this.#messages.push({ sender, everyone: false, seenBy: new Set(), waiting: [] })
    this.address(this.#messages.length - 1, to)
  }

  address(index: number, to: readonly To[]): void {
    const message = this.#messages[index]
    if (message === undefined) return
    message.everyone = to.length === 0
    message.seenBy.clear()
    message.waiting = []
    for (const one of to) {
      if (typeof one === 'string') {
        const open: string[] = []
        for (const name of namesIn(one, (text) => this.#having(text).length > 0)) {
          const having = this.#having(name)
          if (name === '') continue
          if (name === 'all') message.everyone = true
          else if (having.length === 0) open.push(name)
          else message.seenBy.add(having.length === 1 ? `${having[0]}` : `shared ${name}`)
        }
        if (open.length > 0) message.waiting.push({ text: one, open: new Set(open), ids: [], name: undefined })
        continue
      }
      const ids = one.ids.map(plain)
      const name = one.name === undefined ? undefined : plain(one.name)
      const known = ids.find((id) => this.#members.has(id))
      const best = ids[0] ?? name ?? ''
      const having = known === undefined ? this.#having(best) : [known]
      if ([...ids, ...(name === undefined ? [] : [name])].every((each) => each === 'all')) message.everyone = true
      else if (having.length === 1) message.seenBy.add(`${having[0]}`)
      else if (having.length > 1) message.seenBy.add(`shared ${best}`)
      else {
        const isFree = (text: string): boolean => this.#having(text).length === 0
        message.waiting.push({
          text: undefined,
          open: new Set(),
          ids: ids.filter(isFree),
          name: name !== undefined && isFree(name) ? name : undefined,
        })
      }
    }
  }

  remove(index: number): void {
    this.#messages.splice(index, 1)
  }

  speaker(index: number, from: readonly string[]): void {
    const sender = this.speak(from)
    const message = this.#messages[index]
    if (message !== undefined) message.sender = sender
  }

  /** What a snapshot has that begins with a message. */
  export(start: number): VisibilityRecord {
    return structuredClone({ learned: this.#learned, messages: this.#messages.slice(start) })
  }

  /** Continues from a snapshot. */
  import({ learned, messages }: VisibilityRecord): void {
    for (const [id, name] of learned) this.speak([id, name])
    this.#messages.push(...structuredClone(messages))
  }

  /** The messages that a member with this name may see. */
  visible(recipient: string): number[] {
    const name = plain(recipient)
    const having = this.#having(name)
    const me = having.length === 0 ? undefined : having.length === 1 ? having[0] : `shared ${name}`
    return this.#messages.flatMap(({ sender, everyone, seenBy, waiting }, index) => {
      const isMeant =
        me === undefined
          ? name !== '' && waiting.some((one) => means(one, name))
          : seenBy.has(me) || (sender === me && having.length === 1)
      return everyone || isMeant ? [index] : []
    })
  }
}

interface Seen {
  sender: string
  everyone: boolean
  seenBy: Set<string>
  waiting: Waiting[]
}

export interface VisibilityRecord {
  learned: [string, string][]
  messages: Seen[]
}

interface Waiting {
  text: string | undefined
  open: Set<string>
  ids: string[]
  name: string | undefined
}

const means = ({ text, open, ids, name }: Waiting, wanted: string): boolean =>
  text === undefined
    ? ids.includes(wanted) || name === wanted
    : open.has(wanted) || (pieces(wanted).some((piece) => open.has(piece)) && hasRun(text, wanted))

const bind = (message: Seen, spoken: string, isId: boolean, member: string): void => {
  message.waiting = message.waiting.filter((one) => {
    const isMeant =
      one.text === undefined
        ? (one.ids[0] ?? one.name) === spoken || (isId && one.ids.includes(spoken))
        : means(one, spoken)
    if (!isMeant) return true
    message.seenBy.add(member)
    for (const name of [spoken, ...pieces(spoken)]) one.open.delete(name)
    return one.text !== undefined && one.open.size > 0
  })
}

/** In a list that a caller passes: members are known only by the names in it. */
export const maySee = (
  recipient: string,
  { from, to }: { from: string; to: string | readonly string[] },
  senders: readonly string[],
): boolean => {
  const me = plain(recipient)
  const isMe = (name: string): boolean => name !== '' && name === me
  const isName = (name: string): boolean => name === me || senders.some((sender) => plain(sender) === name)
  const names = typeof to === 'string' ? namesIn(to, isName) : to.map(plain)
  const isForAll = typeof to === 'string' ? to.trim() === '' : to.length === 0
  return isForAll || names.some((name) => name === 'all' || isMe(name)) || isMe(plain(from))
}
