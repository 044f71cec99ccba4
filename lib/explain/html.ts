/** A page as one HTML file with its script and style inlined, and a policy that allows nothing else. */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { visibleLine } from './page/words.js'

const PAGE = join(__dirname, 'page')
export const STARTS_REPORT = join(PAGE, 'view', 'main.js')

/** The scripts that every page needs. */
const VIEWS = readdirSync(PAGE, { recursive: true, encoding: 'utf8' })
  .map((file) => join(PAGE, file))
  .filter((file) => file.endsWith('.js') && file !== STARTS_REPORT)
  .toSorted()

const textOf = (file: string) => readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
const nameOf = (file: string) => file.split(/[\\/]/).at(-1) ?? ''

/**
 * The scripts as one, with a `require` that finds them by the ends of their names.
 * @param files The last one starts it.
 */
const joinedScript = (files: string[]) => {
  const modules = files.map((file) => `${JSON.stringify(nameOf(file))}: (exports, require) => {\n${textOf(file)}}`)
  return `(() => {
const files = {\n${modules.join(',\n')}\n}
const loaded = {}
const load = (path) => {
  const name = path.split('/').at(-1)
  if (!(name in loaded)) {
    loaded[name] = {}
    files[name](loaded[name], load)
  }
  return loaded[name]
}
load(${JSON.stringify(nameOf(files.at(-1) ?? ''))})
})()`
}

export type Parts = { script: string; style: string; policy: string }

/**
 * Everything in a page except its data.
 * @param scripts Its own, of which the last one starts it.
 * @param policy What else its policy allows.
 */
export const pageParts = (scripts: string[], styles: string[] = [], policy: string = ''): Parts => {
  const script = joinedScript([...VIEWS, ...scripts])
  const style = [join(PAGE, 'page.css'), ...styles].map(textOf).join('')
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const allowed = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`
  return { script, style, policy: `${allowed}${policy}` }
}

const ENTITIES: { [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '')

/** JSON in which no tag can begin or end. */
const embeddedJson = (value: unknown) =>
  JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const pageHtml = ({ script, style, policy }: Parts, title: string, data: unknown, footer: string) => {
  const shownTitle = escapeHtml(visibleLine(title))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${shownTitle}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${shownTitle}</h1></header>
<main id="main"><noscript><p>This page shows its data with a script, which is switched off.</p></noscript></main>
<footer><p class="soft">${escapeHtml(footer)}</p></footer>
<script type="application/json" id="data">${embeddedJson(data)}</script>
<script>${script}</script>
</body>
</html>
`
}
