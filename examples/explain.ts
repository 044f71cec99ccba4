/**
 * What did Sarah get to see, and why not the rest? Makes her prompt from a conversation that exceeds the
 * budget, prints what was left out, and writes the page that shows it.
 *
 *     npx tsx examples/explain.ts [page.html]
 */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPrompt, renderReport, type PromptInput } from 'promptmason'

const said = (from: string, to: string, ...sentences: string[]) => ({ from, to, content: sentences.join(' ') })

const contextMessages = [
  said(
    'kailai',
    'all',
    'Good morning. This week we design the login.',
    'The goal: nobody types a password twice a day.',
    'Keep that in mind in every decision.',
  ),
  said(
    'max',
    'all',
    'I would start with passkeys.',
    'They work on all phones that we support, except the two oldest ones.',
    'Here is what the server needs:\n' +
      '- a table of credentials per user\n- a challenge that lives for two minutes\n- a way back for people without their phone',
  ),
  said('kailai', 'max', 'Max, between us: Sarah does not know about the merger yet. Please keep it so.'),
  said(
    'lee',
    'all',
    '旧手机没有通行密钥。我建议发送一次性链接，十分钟内有效，只能用一次。',
    '链接里不要放用户名。',
    '我们还需要限制每小时的发送次数，否则会被滥用。',
  ),
  said(
    'max',
    'all',
    'Agreed. A link then, valid for ten minutes, and it works once.',
    'I have measured the mail provider: the slowest mail of last week took six minutes.',
    'So ten is enough.',
  ),
  said(
    'sarah',
    'all',
    'Where do the sessions live?',
    'One service for all regions is easy to reason about, but every request crosses the ocean.',
    'One per region is fast, and a user who travels logs in again.',
  ),
  said(
    'max',
    'sarah, lee',
    'One service, and a cache in each region.',
    'The cache may be wrong for a minute; logging out is then wrong for a minute, too.',
    'I think that is fine for everything but payments.',
  ),
  said('lee', 'all', '付款必须直接询问会话服务，不能使用缓存。', '其他请求可以使用缓存。👍🏽'),
  said(
    'kailai',
    'all',
    'Good. Lee writes down the rules for payments, Max builds the service.',
    'Sarah, you review both.',
  ),
]

const input: PromptInput = {
  agentType: 'claude-code',
  systemInstructionText: 'You are Sarah, a backend engineer. Answer briefly, and say what you are not sure of.',
  teamTask: 'Design the login 设计登录',
  contextMessages,
  message: 'Sarah, is the plan for the sessions sound? What would you test first?',
  recipient: 'sarah',
  maxContextMessages: 20,
  pinned: [0],
  maxBytes: 1200,
}

const output = buildPrompt(input, { report: true })
for (const decision of output.report.decisions) console.log(decision)

const page = process.argv[2] ?? join(tmpdir(), 'promptmason-explain.html')
writeFileSync(page, renderReport({ ...output, input }, { title: 'Sarah’s turn' }))
console.log(`see ${page}`)
