/** The text of an answer, and who it is for. */
import { fields } from '../checks/fields.js'
import { boolean, optional, string } from '../checks/kinds.js'
import { maySee } from '../manager/logged.js'
import { ALL } from './member.js'
import { addressees } from './messages.js'
import { parseMarkers } from './markers.js'
import { type Limits, waitFor } from './waiting.js'
import type { ConversationMessage } from '../messages/messages.js'
import type { ConversationState } from './state.js'
import type { TurnWarning } from './outcome.js'

/** The text of an answer, and who it is for. */
export interface Reply {
  text: string
  /** Who it is for. @default everyone */
  to?: string | readonly string[] | null | undefined
  /** Whether only the addressees and the sender may read it. @default whether it answers a private message */
  private?: boolean | null | undefined
}

const replyFields = fields<Reply>()(
  { text: string, to: optional(addressees), private: optional(boolean) },
  { required: true, anyKeys: true },
)

/** What `parseReply` returns, or else what the markers say. */
const parsedReply = async ({ options, given }: ConversationState, answer: string, member: string, limits: Limits) => {
  const { parseReply } = options
  if (parseReply !== undefined) {
    const reply = await waitFor(member, limits, (): unknown => Reflect.apply(parseReply, given, [answer, { member }]))
    return replyFields(reply, '', 'the result of parseReply')
  }
  const { text, names } = parseMarkers(answer)
  return { text, to: names, private: undefined }
}

const isPrivate = ({ options }: ConversationState, message: ConversationMessage) =>
  message.private === true || (options.visibility === 'addressed' && (message.routing?.addressees ?? []).length > 0)

/**
 * Reads an answer. What is said privately is answered privately.
 * @param acting The message that it answers.
 * @param latestMembership The answer is for nobody who joined later.
 */
export const readReply = async (
  state: ConversationState,
  answer: string,
  name: string,
  { acting, latestMembership }: { acting: ConversationMessage | undefined; latestMembership: number },
  limits: Limits,
) => {
  /** A member by name, if it was one when the prompt was made. */
  const memberAtTheTime = (one: string) => {
    const found = state.members.find(one)
    return found !== undefined && found.membership <= latestMembership ? found : undefined
  }
  const warnings: TurnWarning[] = []
  const { text, to = [], private: wanted } = await parsedReply(state, answer, name, limits)
  let named = to.flatMap((one) => {
    const found = memberAtTheTime(one)
    if (found !== undefined) return [found.name]
    if (one.toLowerCase() !== ALL) {
      const message = `${name} has addressed '${one}', who is not a member`
      warnings.push({ code: 'unknown-addressee', message })
    }
    return []
  })
  const isAnsweringPrivately = acting !== undefined && isPrivate(state, acting)
  if (named.length === 0 && isAnsweringPrivately && wanted !== false) {
    const isInCircle = (one: unknown): one is string =>
      typeof one === 'string' &&
      one !== name &&
      memberAtTheTime(one)?.name === one &&
      maySee(state.manager, one, acting)
    named = [acting.speaker.id, ...(acting.routing?.addressees ?? [])].flatMap((one) => (isInCircle(one) ? [one] : []))
    // If all of them have left, only the member itself keeps it.
    if (named.length === 0) named = [name]
  }
  const addressed = named.length === 0 ? undefined : [...new Set(named)]
  const isHidden = wanted ?? (isAnsweringPrivately && addressed !== undefined)
  return { text, to: addressed, isPrivate: isHidden, warnings }
}
