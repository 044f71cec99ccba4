/** Conversations for pages and pictures. */
import type { PromptContextMessage } from 'promptmason'

const NAMES = ['kailai', 'max', 'sarah', '李雷', 'Zoë']
const TEXTS = [
  'We should keep sessions in one service, and rotate the keys every day. ',
  '我建议把会话放在一个服务里，并且每天轮换密钥。',
  'これはテストです。セッションを一つのサービスに。',
  '👍🏽 agreed: see `auth/session.ts`, line 42. ',
]

/** Messages of several people in several scripts, always the same. */
export const chatter = (count: number, maxLength = 600): PromptContextMessage[] =>
  Array.from({ length: count }, (_, index) => ({
    from: NAMES[index % NAMES.length] ?? '',
    to: index % 7 === 0 ? NAMES[(index + 1) % NAMES.length] : 'all',
    content: (TEXTS[index % TEXTS.length] ?? '').repeat(40).slice(0, 20 + ((index * 7919) % maxLength)),
  }))
