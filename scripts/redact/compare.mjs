/**
 * Lists rules of gitleaks that no pattern of ours covers: `node scripts/redact/compare.mjs gitleaks.toml`.
 *
 * Compares the text with which a rule's values begin. Rules without such a text recognise values by a
 * word near them; ours do so only where the name is unmistakable.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('usage: node scripts/redact/compare.mjs path/to/gitleaks.toml')

const source = readFileSync(join(import.meta.dirname, '..', '..', 'src', 'redact', 'patterns.rs'), 'utf8')
const ours = [...source.matchAll(/(?:pattern|word|pieces)\("[^"]*", "([^"]*)"/g)].flatMap(([, prefix]) => prefix ?? [])

/** The rules, as far as they are needed here. @type {{ id: string, regex: string }[]} */
const rules = readFileSync(file, 'utf8')
  .split('[[rules]]')
  .slice(1)
  .map((rule) => ({
    id: /^id = "(.*)"$/m.exec(rule)?.[1] ?? '',
    regex: /^regex = '''(.*)'''$/m.exec(rule)?.[1] ?? '',
  }))

/** The literal text at the beginning of a regular expression. @param {string} regex */
const literal = (regex) => {
  const begin = regex.replace(/^(?:\(\?i\)|\\b|\()+/, '')
  const characters = /^(?:\\[.\-/]|[^\\[(.{|*+?$^])*/.exec(begin)?.[0] ?? ''
  return characters.replaceAll('\\', '')
}

const missing = rules
  .map(({ id, regex }) => ({ id, text: literal(regex) }))
  .filter(({ text }) => text.length >= 2 && !ours.some((prefix) => prefix.startsWith(text) || text.startsWith(prefix)))
for (const { id, text } of missing) console.log(`${id}: ${text}`)
console.log(`${rules.length} rules, ${missing.length} without a pattern of ours`)
