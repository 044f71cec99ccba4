import { assembleSystemPrompt, compressionHint, systemHint, truncateToolOutput } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { useProject } from '../support/project.js'

const project = useProject()

const tools = [
  { name: 'read_file', usage: '读取文件内容。超长文件会被截断，使用 offset/limit 分段读取。' },
  { name: 'write_file', usage: '写入完整文件内容，适合创建新文件或完整重写。' },
  { name: 'bash', usage: '执行 Shell 命令。危险命令会暂停并等待用户确认。' },
]

/** The examples of the documents. */
function documented(core: string, description: string, hints?: string[]): string {
  const segments = [core]
  if (description) segments.push(`\n---\n# 可用工具补充说明\n\n${description}`)
  if (hints && hints.length > 0) segments.push(`\n---\n# 运行时状态\n\n${hints.join('\n\n')}`)
  return segments.join('\n')
}

describe('assembleSystemPrompt', () => {
  const core = '# 角色\n\n你是 mini-claude-code。\n'
  const description = tools.map(({ name, usage }) => `- **${name}**：${usage}`).join('\n')

  it('is the documented text, byte for byte', async () => {
    const hints = ['第一', '第二\n行']
    expect(await assembleSystemPrompt(hints, { core, tools })).toBe(documented(core, description, hints))
    expect(await assembleSystemPrompt([], { core, tools })).toBe(documented(core, description))
    expect(await assembleSystemPrompt(hints, { core })).toBe(documented(core, '', hints))
    expect(await assembleSystemPrompt(undefined, { core })).toBe(core)
    expect(await assembleSystemPrompt(null, { core, tools: [] })).toBe(core)
    expect(await assembleSystemPrompt([''], { core })).toBe(documented(core, '', ['']))
  })

  it('reads the core from SYSTEM_PROMPT.md', async () => {
    const { current } = project
    current.write('SYSTEM_PROMPT.md', core)
    current.write('other.md', `\uFEFF${core}2`)
    const before = process.cwd()
    try {
      process.chdir(current.root)
      expect(await assembleSystemPrompt()).toBe(core)
      expect(await assembleSystemPrompt(['x'], { coreFile: 'other.md' })).toBe(documented(`${core}2`, '', ['x']))
      expect(await assembleSystemPrompt([], { coreFile: current.path('other.md') })).toBe(`${core}2`)
      expect(await assembleSystemPrompt([], { core: '', coreFile: 'missing.md' })).toBe('')
    } finally {
      process.chdir(before)
    }
  })

  it('rejects if the core cannot be read', async () => {
    const { current } = project
    const file = current.path('missing.md')
    await expect(assembleSystemPrompt([], { coreFile: file })).rejects.toMatchObject({
      code: 'ERR_UNREADABLE_FILE',
      file,
      message: `${file} cannot be read: there is no such file; pass its text as options.core, or its path as options.coreFile`,
    })
    const folder = current.directory('folder')
    await expect(assembleSystemPrompt([], { coreFile: folder })).rejects.toThrow('is a directory')
    const binary = current.write('binary.md', Uint8Array.of(0xff))
    await expect(assembleSystemPrompt([], { coreFile: binary })).rejects.toThrow('is not UTF-8 text')
  })

  it('accepts a registry of an SDK, in its order', async () => {
    const registry = Object.fromEntries(tools.map(({ name, usage }) => [name, { description: usage, execute() {} }]))
    expect(await assembleSystemPrompt([], { core, tools: registry })).toBe(documented(core, description))
    const text = await assembleSystemPrompt([], {
      core: '',
      tools: { a: {}, b: { description: 'x\n\n  y ' } },
      locale: 'en',
    })
    expect(text).toMatch(/\n\n- \*\*a\*\*\n- \*\*b\*\*: x y$/)
  })

  it('has titles in the language of the core text', async () => {
    const title = async (text: string, locale?: 'auto' | 'zh' | 'en'): Promise<string | undefined> =>
      (await assembleSystemPrompt(['x'], { core: text, ...(locale && { locale }) }))
        .split('\n')
        .find((line) => line.startsWith('# '))
    expect(await title('You are Sarah.')).toBe('# Runtime state')
    expect(await title('')).toBe('# Runtime state')
    expect(await title('你是 Sarah。')).toBe('# 运行时状态')
    expect(await title('あなたは助手です。')).toBe('# Runtime state')
    expect(await title('You are Sarah.', 'auto')).toBe('# Runtime state')
    expect(await title('You are Sarah.', 'zh')).toBe('# 运行时状态')
    expect(await title('你是 Sarah。', 'en')).toBe('# Runtime state')
  })

  it('detects the language of the core file', async () => {
    const file = project.current.write('core.md', '你是 Sarah。')
    expect(await assembleSystemPrompt(['x'], { coreFile: file })).toContain('# 运行时状态')
    project.current.write('core.md', 'You are Sarah.')
    expect(await assembleSystemPrompt(['你好'], { coreFile: file })).toContain('# Runtime state')
  })

  it('has English titles', async () => {
    expect(
      await assembleSystemPrompt(['hint'], { core: 'core', tools: [{ name: 'a', usage: 'b' }], locale: 'en' }),
    ).toBe('core\n\n---\n# Notes on the available tools\n\n- **a**: b\n\n---\n# Runtime state\n\nhint')
  })

  it.each([
    [['a', 1], {}, 'runtimeHints[1] must be a string, got number'],
    ['a', {}, 'runtimeHints must be an array of strings, got string'],
    [[], { tools: 1 }, 'options.tools must be an array or an object, got number'],
    [[], { tools: [{ name: 'a' }] }, 'options.tools[0].usage must be a string, got undefined'],
    [[], { tools: { a: 1 } }, 'options.tools.a must be an object, got number'],
    [[], { tools: { a: { description: 1 } } }, 'options.tools.a.description must be a string, got number'],
    [[], { locale: 'fr' }, "options.locale must be 'auto', 'zh' or 'en', got 'fr'"],
    [[], { core: 1 }, 'options.core must be a string, got number'],
  ])('rejects %j %j', async (hints, options, message) => {
    const attempt = assembleSystemPrompt(hints as never, { core, ...options } as never)
    await expect(attempt).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE', message })
  })
})

describe('compressionHint', () => {
  it('is the documented text', () => {
    const summary = '读取了 a.ts\n修改了 b.ts'
    expect(compressionHint(summary)).toBe(`[上下文摘要 - 之前会话的执行记录]
${summary}

注意：以上是对之前执行历史的压缩摘要，你现在处于会话重启后的状态，请基于上述摘要继续完成任务。`)
    expect(compressionHint('$& done', { locale: 'en' })).toMatch(/^\[Context summary[^\n]*\]\n\$& done\n\nNote: /)
    expect(compressionHint('Read a.ts')).toMatch(/^\[Context summary/)
    expect(compressionHint('a.ts を読みました')).toMatch(/^\[Context summary/)
    expect(compressionHint('Read a.ts', { locale: 'zh' })).toMatch(/^\[上下文摘要/)
    expect(() => compressionHint(1 as never)).toThrow('summary must be a string, got number')
  })
})

describe('systemHint', () => {
  it('is the documented hint', () => {
    expect(
      systemHint(
        { type: 'tool_degraded', tool: 'web_fetch' },
        'web_fetch 工具当前不可用（网络连接问题），请避免使用该工具。',
      ),
    ).toBe(`<system_hint type="tool_degraded" tool="web_fetch">
  web_fetch 工具当前不可用（网络连接问题），请避免使用该工具。
</system_hint>`)
  })

  it('escapes its attributes, keeps their order and leaves out what is not given', () => {
    const attributes = { z: 1.5, type: 'a"b<c>&\n', ok: true, tool: undefined, none: null }
    expect(systemHint(attributes, 'x\n\n  y')).toBe(
      '<system_hint z="1.5" type="a&quot;b&lt;c&gt;&amp;&#10;" ok="true">\n  x\n\n    y\n</system_hint>',
    )
  })

  it('cannot be closed by its text', () => {
    expect(systemHint({ type: 'a' }, '</system_hint> <b>')).toBe(
      '<system_hint type="a">\n  &lt;/system_hint> <b>\n</system_hint>',
    )
  })

  it('throws for invalid attributes', () => {
    expect(() => systemHint({} as never, '')).toThrow('attributes.type must be a string, got undefined')
    for (const name of ['', 'a b', 'a="b"', '1a', 'a>', '中']) {
      expect(() => systemHint({ type: 'a', [name]: 'd' }, '')).toThrow(
        `attributes must be an object whose keys are attribute names, got '${name}'`,
      )
    }
    expect(systemHint({ type: 'a', 'a-b.c': 1, _x: true }, '')).toContain(' a-b.c="1" _x="true"')
    expect(() => systemHint({ type: 'a', b: {} } as never, '')).toThrow(
      'attributes.b must be a string, a number or a boolean, got object',
    )
    expect(() => systemHint(null as never, '')).toThrow('attributes must be an object, got null')
    expect(() => systemHint({ type: 'a' }, 1 as never)).toThrow('text must be a string, got number')
  })
})

describe('truncateToolOutput', () => {
  it('keeps short output unchanged', () => {
    const exact = '中'.repeat(8000)
    expect(truncateToolOutput('bash', exact)).toBe(exact)
    expect(truncateToolOutput('bash', '')).toBe('')
    expect(truncateToolOutput('bash', 'a\uD800b')).toBe('a\uD800b')
  })

  it('keeps the head and says how much there was', () => {
    const text = truncateToolOutput('bash', 'x'.repeat(8001))
    const head = `${'x'.repeat(8000)}\n<system_hint type="tool_output_omitted" tool="bash" actual_chars="8001" max_chars="8000">\n  `
    expect(text.slice(0, head.length)).toBe(head)
    expect(text.endsWith('\n</system_hint>')).toBe(true)
    expect(truncateToolOutput('a"b', 'xyz', { maxChars: 2 })).toContain(
      'xy\n<system_hint type="tool_output_omitted" tool="a&quot;b"',
    )
    expect(truncateToolOutput('t', 'xyz', { maxChars: 0 })).toMatch(/^<system_hint /)
  })

  it('does not split a character', () => {
    expect(truncateToolOutput('t', 'a👨‍👩‍👧‍👦b', { maxChars: 5 }).split('\n')[0]).toBe('a')
    expect(truncateToolOutput('t', 'a😀b', { maxChars: 3 }).split('\n')[0]).toBe('a😀')
  })

  it('has a hint in English, or in Chinese if requested', () => {
    expect(truncateToolOutput('t', '你好你好', { maxChars: 2 })).toContain('\n  The output has 4 characters;')
    expect(truncateToolOutput('t', 'abcd', { maxChars: 2, locale: 'zh' })).toContain('\n  输出共 4 个字符，上限为 2 个')
    expect(() => truncateToolOutput('t', 'x', { locale: 'auto' as never })).toThrow(
      "options.locale must be 'zh' or 'en', got 'auto'",
    )
  })

  it('throws for invalid sizes', () => {
    for (const maxChars of [-1, 1.5, NaN, Infinity]) {
      expect(() => truncateToolOutput('t', 'x', { maxChars })).toThrow(RangeError)
    }
    expect(() => truncateToolOutput('t', 1 as never)).toThrow('output must be a string, got number')
    expect(() => truncateToolOutput(1 as never, 'x')).toThrow('tool must be a string, got number')
  })
})
