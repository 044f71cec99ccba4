/** What looks like keys and tokens is replaced, and accounted for. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type HandoffSource, type MessagePart, buildHandoff, renderReport } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { redactText } from '../../binding.js'
import { root } from '../support/documents.js'

// In pieces, so that secret scanners ignore this file.
const GITHUB = `ghp_${'aB3dE5fG7hJ9'.repeat(3)}`
const ANTHROPIC = `sk-ant-${'api03-aB3dE5_fG7hJ9-'.repeat(4)}`
const AWS = `AKIA${'ABCDEFGH'.repeat(2)}`
const SECRETS = [GITHUB, ANTHROPIC, AWS]
const PEM = `-----BEGIN ${'PRIVATE'} KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(20)}-----END ${'PRIVATE'} KEY-----`

const source = (text: string): HandoffSource => ({
  agent: 'claude',
  cwd: `/w/${AWS}`,
  messages: [
    { speaker: { id: 'user', type: 'human' }, content: `Task ${text}` },
    {
      speaker: { id: 'claude', type: 'ai' },
      content: '',
      parts: [
        { type: 'reasoning', text },
        { type: 'text', text: `I use ${text}.` },
        { type: 'tool-call', id: '1', name: 'Bash', input: { command: `echo\n${text}\nls` } },
        { type: 'tool-result', id: '1', output: `\u001b[32m${text}\u001b[0m` },
        { type: 'tool-call', id: '2', name: 'Write', input: { file_path: `/w/${text}` } },
        { type: 'tool-result', id: '2', output: { text } },
      ],
    },
  ],
  summary: { text: `About ${text}`, covers: 0 },
})
const options = { to: 'codex', fenceKey: 'k7m2q9x4w3ab', message: `Now ${GITHUB}` }

it('changes nothing by default', () => {
  expect(buildHandoff(source(GITHUB), options).prompt).toContain(GITHUB)
})

it.each([
  ['GitHub', GITHUB],
  ['Anthropic', ANTHROPIC],
  ['AWS', AWS],
  ['a private key', PEM],
])('replaces keys of %s everywhere', (_, secret) => {
  const { prompt, report } = buildHandoff(source(secret), { ...options, redact: true }, { report: true })
  expect(prompt).not.toContain(secret)
  expect(prompt).not.toContain(JSON.stringify(secret).slice(1, -1))
  for (const one of [...SECRETS, 'MIIEvQIBADAN']) expect(prompt).not.toContain(one)
  // The tool calls are still JSON.
  expect(JSON.parse(/→ Bash (.*)/.exec(prompt)?.[1] ?? '').command).toMatch(/^echo\n\[redacted: .*\]\nls$/)
  const { givenBytes, sentBytes, leftOutBytes } = report.account
  expect(sentBytes + leftOutBytes).toBe(givenBytes)
  const parts = report.leftOut.filter(({ reason }) => reason === 'redacted').map(({ part }) => part)
  expect(new Set(parts)).toEqual(new Set(['teamTask', 'parent', 'summary', 'context', 'message']))
  const context = report.leftOut.find(({ part, reason }) => part === 'context' && reason === 'redacted')
  const written = Buffer.byteLength(JSON.stringify(secret)) - 2
  // Two arguments and one result are JSON.
  expect(context).toMatchObject({ action: 'cut', index: 1, bytes: 3 * written + 2 * Buffer.byteLength(secret) })
  expect(report.decisions.join('\n')).toMatch(
    /\[CONVERSATION\] what looks like keys or tokens is replaced in 1 message: /,
  )
  expect(renderReport({ prompt, report })).toContain('redacted')
})

it('replaces keys in names of speakers, tools and files', () => {
  const speaker = { id: `user ${GITHUB}`, type: 'human' }
  const file = (name: string, mediaType = 'text/plain') => ({ type: 'file' as const, name, mediaType, data: 'aGk=' })
  const messages: HandoffSource['messages'] = [
    { speaker, content: 'Begin.' },
    {
      speaker: { id: `claude ${ANTHROPIC}`, type: 'ai' },
      content: '',
      parts: [
        { type: 'tool-call', id: '1', name: `Read ${AWS}`, input: {} },
        { type: 'tool-result', id: '1', output: 'done' },
        file(`${AWS}.md`),
        file('b.md', `text/${AWS}`),
        { type: 'tool-call', id: '2', name: `${'x'.repeat(4080)} ${GITHUB}`, input: {} },
      ],
    },
    { speaker, content: 'Go on.' },
  ]
  const given = { agent: `claude ${ANTHROPIC}`, messages, branches: [], cwd: `${'/x'.repeat(2040)}/${GITHUB}` }
  const plain = buildHandoff(given, options, { report: true })
  const { prompt, report } = buildHandoff(given, { ...options, redact: true }, { report: true })
  for (const one of SECRETS) {
    expect(plain.prompt).toContain(one)
    expect(prompt.replaceAll(options.message, '')).not.toContain(one.slice(0, 12))
  }
  expect(prompt).toContain('→ Read [redacted: AWS access key] {}')
  const { givenBytes, sentBytes, leftOutBytes } = report.account
  expect(sentBytes + leftOutBytes).toBe(givenBytes)
  // The tool of the open call and the directory are in our own introduction, where they are cut.
  expect(report.leftOut).toContainEqual(
    expect.objectContaining({ part: 'context', reason: 'redacted', bytes: 2 * AWS.length + GITHUB.length }),
  )
})

it('accounts for every byte, whatever the budget cuts', () => {
  const word = fc.constantFrom(...SECRETS, PEM, 'words ', '词', '👩‍👩‍👧', '\n', 'x'.repeat(300))
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '))
  const said = (content: string): MessagePart => ({ type: 'text', text: content })
  const input = fc.record({
    task: text,
    summary: text,
    results: fc.array(text, { maxLength: 6 }),
    maxBytes: fc.integer({ min: 900, max: 9000 }),
  })
  fc.assert(
    fc.property(input, ({ task, summary, results, maxBytes }) => {
      const messages = [
        { speaker: { id: 'user', type: 'human' }, content: task },
        ...results.map((output, id) => ({
          speaker: { id: 'claude', type: 'ai' },
          content: '',
          parts: [
            said(output),
            { type: 'tool-call' as const, id: `${id}`, name: id % 2 === 0 ? 'Read' : AWS, input: {} },
            { type: 'tool-result' as const, id: `${id}`, output },
          ],
        })),
      ]
      const given = { agent: 'claude', messages, summary: { text: summary, covers: 0 } }
      const all = { to: 'codex', fenceKey: 'k7m2q9x4w3ab', tokenizer: 'o200k' as const }
      const whole = buildHandoff(given, all, { report: true }).report.account.givenBytes
      const { prompt, report } = buildHandoff(given, { ...all, maxBytes, redact: true }, { report: true })
      expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(maxBytes)
      for (const secret of [...SECRETS, PEM]) expect(prompt).not.toContain(secret)
      const { givenBytes, sentBytes, leftOutBytes } = report.account
      expect(givenBytes).toBe(whole)
      expect(sentBytes + leftOutBytes).toBe(givenBytes)
      expect(report.leftOut.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(leftOutBytes)
      expect(Math.min(sentBytes, ...report.leftOut.map(({ bytes }) => bytes))).toBeGreaterThanOrEqual(0)
    }),
  )
})

it('limits a first task to a quarter of the budget, and says so', () => {
  const task = `begin ${'words '.repeat(20_000)} end`
  const messages = [
    { speaker: { id: 'user', type: 'human' }, content: task },
    { speaker: { id: 'claude', type: 'ai' }, content: 'Done.' },
  ]
  const { prompt, report } = buildHandoff(
    { agent: 'claude', messages },
    { to: 'claude', maxBytes: 20_000 },
    { report: true },
  )
  expect(prompt).toContain('\nbegin words')
  expect(prompt).toMatch(/words {2}end\n/)
  expect(prompt).toContain('\nDone.\n')
  const limit = report.leftOut.find(({ part }) => part === 'parent')
  expect(limit).toMatchObject({ action: 'cut', reason: 'limit' })
  const shown = /from user\n(.*?)\n=== /s.exec(prompt)?.[1] ?? ''
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(5000)
  expect(limit?.bytes).toBe(task.length - shown.replace(/\n?\[… [\d,]+ bytes omitted …\]\n?/, '').length)
})

describe('false positives', () => {
  const FOLDERS = ['src', 'lib', 'docs', '__test__', 'examples', 'scripts', 'fuzz/src', 'fuzz/fuzz_targets']
  // Some of them are minified.
  const OTHERS = ['node_modules/@types/node', 'node_modules/vite/dist', 'node_modules/vitest/dist']
  const LOCKS = ['Cargo.lock', 'package-lock.json'].map((name) => join(root, name))
  const files = [...FOLDERS, ...OTHERS].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.(png|node)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  // Values that look like secrets on purpose.
  const ours = /src.redact.|src.reading.tests.parts\.rs$/

  it('do not occur in the sources and recordings of this repository', () => {
    expect(files.length).toBeGreaterThan(500)
    const changed = [...files, ...LOCKS].filter((file) => {
      const text = readFileSync(file, 'utf8')
      return !ours.test(file) && redactText(text) !== text
    })
    expect(changed).toEqual([])
  })

  it('do not include random hashes, identifiers and data', () => {
    const random = (bytes: number) =>
      fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => Buffer.from(all))
    const value = fc.oneof(
      ...[7, 16, 20, 28, 32, 48, 64].map((bytes) => random(bytes).map((all) => all.toString('hex'))),
      ...[16, 32, 57, 64, 500].map((bytes) => random(bytes).map((all) => all.toString('base64'))),
      ...[15, 21, 32, 48].map((bytes) => random(bytes).map((all) => all.toString('base64url'))),
      fc.uuid(),
      fc.ulid(),
      fc.stringMatching(/^[a-z_]{3,30}$/),
    )
    const around = fc.constantFrom(
      '',
      ' ',
      '"',
      "'",
      '=',
      ': ',
      '/',
      '-',
      '_',
      '.',
      '\\n',
      '%20',
      '\n',
      'sha256-',
      'id=',
    )
    const text = fc.array(fc.tuple(around, value), { maxLength: 30 }).map((all) => all.flat().join(''))
    const rounds = { numRuns: 2000, seed: 40 }
    fc.assert(
      fc.property(text, (given) => {
        expect(redactText(given)).toBe(given)
      }),
      rounds,
    )
  })

  it('do not include hashes, identifiers and examples', () => {
    for (const text of [
      'sha512-aB3dE5fG7hJ9aB3dE5fG7hJ9aB3dE5fG7hJ9aB3dE5fG7hJ9aB3dE5fG7hJ9aB3dE5fG7hJ9aB3dE5fG7hJ9==',
      '0123456789abcdef0123456789abcdef01234567',
      '927b3690-8cc1-462e-af2b-670f6d7624da',
      'sk-ant-... and sk-proj-… and ghp_xxxx',
      'task-0123456789abcdef0123456789abcdef',
      'toolu_01A09q90qw90lq917835lq9 call_Xb3dE5fG7hJ9aB3dE5fG7hJ9',
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
      'npm_config_registry=x npm_package_json hf_hub_download',
      '-----BEGIN PRIVATE KEY----- is how it begins',
      'https://example.com/a%20b?token%3d=x and ratio 16:9, at 12345678:AM',
      'commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904, tree EAAAAABAAAAA',
      'patch-2026.0123456789abcdef0123456789abcdef0123456789abcdef',
      'const secretKey = accountKey(name); squ_are(sqp_, pul-request, API-2026)',
      'eyJhbGciOiJIUzI1NiJ9.not.a.token and Q~ and a.atlasv1.b',
    ]) {
      expect(redactText(text)).toBe(text)
    }
  })
})
