import { ClaudeContextAssembler, SystemPrompt } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { useProject } from '../support/project.js'
import { serve } from '../support/server.js'

const project = useProject()
const now = new Date(2026, 1, 26)

const build = (more: object = {}): Promise<string[]> =>
  SystemPrompt.build({ agent: {}, directory: project.current.root, now, ...more })

describe('SystemPrompt.build', () => {
  it('joins agent or provider, environment and instructions', async () => {
    const { current } = project
    const file = current.write('AGENTS.md', 'be kind')
    const url = await serve((_, response) => response.end('and brief'))
    const environment = SystemPrompt.environment({ directory: current.root, now, extra: ['Shell: zsh'] })
    const instructions = [`Instructions from: ${file}\nbe kind`, `Instructions from: ${url}\nand brief`]
    const more = { config: { instructions: [url, 'missing.md'] }, extra: ['Shell: zsh'] }
    expect(await build({ agent: { prompt: 'You are Max' }, modelID: 'claude', ...more })).toEqual([
      'You are Max',
      ...environment,
      ...instructions,
    ])
    expect(await build({ modelID: 'o3', ...more })).toEqual([
      ...SystemPrompt.provider('o3'),
      ...environment,
      ...instructions,
    ])
    const [base] = await build({ agent: { prompt: '' } })
    expect(base).toBe(SystemPrompt.provider('')[0])
  })

  it('reads the configuration of the project, and rejects a malformed one', async () => {
    const { current } = project
    current.write('rules.md', 'rules')
    const file = current.write('etcode.json', '{ "instructions": ["rules.md"] }')
    expect((await build()).at(-1)).toBe(`Instructions from: ${current.path('rules.md')}\nrules`)
    current.write('etcode.json', '{ "instructions": [')
    await expect(build()).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG', file, line: 1, column: 19 })
    expect(await build({ config: {} })).toHaveLength(2)
  })

  it('passes on families, files and order', async () => {
    const { current } = project
    current.write('RULES.md', 'rules')
    const parts = await build({ modelID: 'qwen', families: { qwen: ['a', ' ', 'b'] }, files: ['RULES.md'] })
    expect(parts.map((part) => part.split('\n').at(-1))).toEqual(['a', 'b', '</env>', 'rules'])
  })

  it('feeds an assembler', async () => {
    project.current.write('AGENTS.md', 'be kind\n')
    const parts = await build({ agent: { prompt: 'You are Max' } })
    const { systemFlag } = new ClaudeContextAssembler().assemble({
      contextMessages: [],
      currentMessage: 'hello',
      teamTask: null,
      systemInstruction: parts,
      maxBytes: 10_000,
    })
    expect(systemFlag).toBe(parts.map((part) => part.trim()).join('\n'))
  })

  it.each([
    [undefined, 'input must be an object, got undefined'],
    [{}, 'agent must be an object, got undefined'],
    [{ agent: 'x' }, 'agent must be an object, got string'],
    [{ agent: { prompt: 1 } }, 'agent.prompt must be a string, got number'],
    [{ agent: {}, modelID: 1 }, 'modelID must be a string, got number'],
    [{ agent: {}, transform: 1 }, 'transform must be a function, got number'],
    [{ agent: {}, directory: 1 }, 'directory must be a string, got number'],
  ])('rejects %j', async (input, message) => {
    await expect(SystemPrompt.build(input as never)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE', message })
  })
})

describe('transform', () => {
  const agent = { name: 'build', prompt: 'You are Max' }

  it('gets the parts, the agent and the model, and may replace the parts', async () => {
    const seen: unknown[] = []
    const transform = (parts: string[], context: object): string[] => {
      seen.push(parts, context)
      return [...parts, 'one more']
    }
    const parts = await build({ agent, modelID: 'gpt-5', transform })
    expect(seen).toEqual([parts.slice(0, -1), { agent, modelID: 'gpt-5' }])
    expect((seen[1] as { agent: unknown }).agent).toBe(agent)
    expect(parts.at(-1)).toBe('one more')
    await build({ agent, transform })
    expect(seen[3]).toStrictEqual({ agent, modelID: undefined })
  })

  it('may be asynchronous', async () => {
    const transform = (parts: string[]): Promise<string[]> =>
      new Promise((resolve) => setTimeout(resolve, 5, [`${parts.length} parts for ${agent.name}`]))
    expect(await build({ agent, transform })).toEqual(['2 parts for build'])
    // oxlint-disable-next-line unicorn/no-thenable
    const thenable = { then: (resolve: (parts: string[]) => void) => resolve(['later']) }
    expect(await build({ agent, transform: () => thenable })).toEqual(['later'])
  })

  it('may change the given array, or nothing', async () => {
    expect(await build({ agent, transform: () => {} })).toHaveLength(2)
    expect(await build({ agent, transform: (parts: string[]) => void parts.push('x') })).toHaveLength(3)
    expect(await build({ agent, transform: async (parts: string[]) => void parts.splice(1) })).toEqual(['You are Max'])
    expect(await build({ agent, transform: () => [] })).toEqual([])
    expect(await build({ agent, transform: null })).toHaveLength(2)
  })

  it('rejects with its error', async () => {
    const own = new Error('mine')
    const throwing = (): never => {
      throw own
    }
    await expect(build({ agent, transform: throwing })).rejects.toBe(own)
    await expect(build({ agent, transform: () => Promise.reject(own) })).rejects.toBe(own)
    await expect(build({ agent, transform: () => Promise.reject('a string') })).rejects.toBe('a string')
  })

  it.each([
    ['text', 'the result of transform must be an array of strings, got string'],
    [{}, 'the result of transform must be an array of strings, got object'],
    [['a', 1], 'the result of transform[1] must be a string, got number'],
  ])('must not return %j', async (answer, message) => {
    const expected = { code: 'ERR_INVALID_ARG_TYPE', message }
    await expect(build({ agent, transform: () => answer })).rejects.toMatchObject(expected)
    await expect(build({ agent, transform: async () => answer })).rejects.toMatchObject(expected)
  })

  it('is not called if the parts cannot be built', async () => {
    project.current.write('etcode.json', '{')
    let called = false
    await expect(build({ agent, transform: () => (called = true) })).rejects.toThrow('etcode.json:1:1: ')
    expect(called).toBe(false)
  })
})
