import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SystemPrompt } from 'promptmason'
import { describe, expect, it } from 'vitest'

const text = (family: string): string =>
  readFileSync(
    join(import.meta.dirname, '..', '..', 'src', 'system_prompt', 'prompts', `${family}.txt`),
    'utf8',
  ).trimEnd()

describe('SystemPrompt.provider', () => {
  it.each([
    ['claude-3.5-sonnet', 'anthropic'],
    ['anthropic/CLAUDE-opus', 'anthropic'],
    ['gpt-4o-mini', 'openai'],
    ['openai/o3-mini', 'openai'],
    ['o1', 'openai'],
    ['O4-mini', 'openai'],
    ['turbo1', 'default'],
    ['solo4', 'default'],
    ['gemini-2.5-pro', 'gemini'],
    ['models/Gemini', 'gemini'],
    ['qwen3-coder', 'default'],
    ['', 'default'],
  ])('%j has the prompt of %s', (modelID, family) => {
    expect(SystemPrompt.provider(modelID)).toEqual([text(family)])
  })

  it('matches custom families first, in their order', () => {
    const families = { qwen: 'for Qwen', 'claude-opus': ['first', 'second'], claude: 'ours', '^k2': 'for Kimi' }
    expect(SystemPrompt.provider('Qwen3', { families })).toEqual(['for Qwen'])
    expect(SystemPrompt.provider('claude-opus-4', { families })).toEqual(['first', 'second'])
    expect(SystemPrompt.provider('claude-haiku', { families })).toEqual(['ours'])
    expect(SystemPrompt.provider('moonshot/k2', { families })).toEqual(['for Kimi'])
    expect(SystemPrompt.provider('mak2', { families })).toEqual([text('default')])
    expect(SystemPrompt.provider('gpt-4', { families: null })).toEqual([text('openai')])
  })

  it('throws if the model is invalid', () => {
    expect(() => SystemPrompt.provider(1 as never)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE', message: 'modelID must be a string, got number' }),
    )
    for (const pattern of ['', '^', '^^']) {
      expect(() => SystemPrompt.provider('a', { families: { [pattern]: 'x' } })).toThrow(
        `options.families must be an object whose keys are parts of model names, got '${pattern}'`,
      )
    }
    expect(() => SystemPrompt.provider('a', { families: { x: 1 } as never })).toThrow(
      'options.families.x must be a string or an array of strings, got number',
    )
  })
})
