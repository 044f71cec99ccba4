/** Every field of an input is named once in a table of lib/checks/, and once in a struct of src/binding/. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const require = createRequire(import.meta.url)
const root = join(import.meta.dirname, '..', '..')

interface Table {
  names: string[]
}
const { assemblerFields } = require('../../dist/prompts/assembler-input.js') as Record<string, Table>
const { assemblerOptions } = require('../../dist/prompts/assembler-options.js') as Record<string, Table>
const { promptFields, subjectFields } = require('../../dist/prompts/build-prompt.js') as Record<string, Table>
const { managerOptions, turnOptions, routeFields } = require('../../dist/manager/options.js') as Record<string, Table>
const { layout } = require('../../dist/prompts/layout.js') as Record<string, Table>

/** The fields of a struct, as the build has declared them. */
const declared = (name: string): string[] => {
  const [, body = ''] =
    new RegExp(`^export interface ${name} \\{\\n(.*?)^\\}`, 'ms').exec(
      readFileSync(join(root, 'binding.d.ts'), 'utf8'),
    ) ?? []
  return [...body.matchAll(/^ {2}(\w+)\??: /gm)].map(([, field = '']) => field)
}

/** What every input may have crosses as texts and numbers, in no struct. */
const IN_MEMORY = ['contextMessages', 'teamTask', 'instructionFileText', 'maxBytes']

describe('the tables of lib/checks/ and the structs of src/binding/ have the same fields', () => {
  it.each<[struct: string, table: Table | undefined, onlyHere: string[], onlyThere: string[]]>([
    // Only handoffs set what is not in the table.
    [
      'MoreAssemblerFields',
      assemblerFields,
      [...IN_MEMORY, 'currentMessage', 'systemInstruction'],
      ['ends', 'outside', 'parentMaxBytes', 'redact'],
    ],
    // The tokenizer is read with what says which assembler makes the prompt; a message shows its sender.
    [
      'MorePromptFields',
      promptFields,
      [...IN_MEMORY, 'message', 'systemInstructionText', 'maxContextMessages'],
      ['ends', 'showSender', 'tokenizer'],
    ],
    ['AssemblerOptionFields', assemblerOptions, [], []],
    ['LayoutFields', layout, [], []],
    // Hooks and the logger stay in JavaScript.
    ['ManagerFields', managerOptions, ['onMessageAdded', 'onTeamTaskChanged', 'onAssembled', 'logger'], []],
    ['TurnFields', turnOptions, [], ['agentId', 'agentType', 'api', 'cache', 'model', 'route']],
    ['RouteFields', routeFields, [], []],
  ])('%s', (struct, table, onlyHere, onlyThere) => {
    const passed = (table?.names ?? []).filter((name) => !onlyHere.includes(name))
    expect(passed.length).toBeGreaterThan(2)
    expect([...passed, ...onlyThere].toSorted()).toEqual(declared(struct).toSorted())
  })

  it('and buildPrompt has besides what says which assembler it is', () => {
    expect(subjectFields?.names).toEqual(['layout', 'agentType', 'options', 'tokenizer'])
  })
})
