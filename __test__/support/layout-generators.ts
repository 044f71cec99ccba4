/** Unusual layouts, and some realistic ones. */
import fc from 'fast-check'
import type { LayoutDefinition, PromptPart } from 'promptmason'
import { PARTS } from './reference.js'

const title = fc.constantFrom(
  undefined,
  null,
  '',
  '## Title',
  '标题',
  '$&',
  '\ud800',
  '[SYSTEM]',
  '[MESSAGE]',
  'Last message:',
  '\\Now',
  ' ',
  '\u200b',
  'x'.repeat(300),
  '- a -> b: c',
)
const note = fc.constantFrom(undefined, null, '', '(a note)', '## Title', '👨‍👩‍👧‍👦')
const mark = fc.constantFrom(
  undefined,
  null,
  '',
  '- ',
  '* ',
  '> ',
  '### ',
  '\\',
  '\udc00',
  '<|im_start|>',
  '='.repeat(200),
)
const arrow = fc.constantFrom(undefined, null, '', ' -> ', ' to ', '→', ': ')
const colon = fc.constantFrom(undefined, null, '', ': ', ':', ' ', ' says: ', '：', '|')
const label = fc.constantFrom(undefined, null, '', 're: ', '意图：')

const sections = fc.shuffledSubarray([...PARTS]).chain((parts) => {
  const needsMessage = parts.includes('context') && !parts.includes('message')
  const listed: PromptPart[] = needsMessage ? [...parts, 'message'] : parts
  return fc.tuple(
    ...listed.map((part) => fc.record({ part: fc.constant(part), title, note }, { requiredKeys: ['part'] })),
  )
})

export const layout: fc.Arbitrary<LayoutDefinition> = sections.chain((listed) =>
  fc.record(
    {
      agentType: fc.constant('my-agent'),
      systemPlacement: listed.some(({ part }) => part === 'system')
        ? fc.constantFrom('flag', 'inline', null)
        : fc.constantFrom('inline', undefined),
      sections: fc.constant(listed),
      messageLine: fc.record({ open: mark, arrow, colon }, { requiredKeys: [] }),
      quoteLine: fc.option(fc.record({ open: mark, colon }, { requiredKeys: [] })),
      labels: fc.option(fc.record({ parentMessageId: label, intent: label }, { requiredKeys: [] })),
    },
    { requiredKeys: ['agentType', 'sections', 'messageLine'] },
  ),
)
