/** docs/reference.md: every exported name with its signature and its documentation, generated from what `lib/` is compiled to. */
import { isCallable, membersOf, typesIn } from './declarations.mjs'
import { declarationsOfName, subjectsOf } from './exports.mjs'

/** @typedef {import('./declarations.mjs').Declaration} Declaration */

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {Declaration[]} declarations
 * @property {boolean} isExported
 * @property {boolean} isMain Whether it is listed at the top: a function, a class, or an object of functions.
 */

const fence = (/** @type {string} */ code) => `\`\`\`ts\n${code}\n\`\`\``
const withoutKeywords = (/** @type {string} */ code) =>
  code.replace(/^\s*(?:export )?(?:declare )?/, '').replace(/^get (\w+)\(\)/, 'readonly $1')
/** Turns names of files in docs/ into links. */
const linked = (/** @type {string} */ text) => text.replaceAll(/\bdocs\/([\w-]+\.md)\b/g, '[$1]($1)')

/** A comment without its default, and the default. @param {string} doc */
const withDefault = (doc) => {
  const [text = '', value] = doc.split(/(?:^|\s)@default /)
  return { text: linked(text.trim()), value: value?.replaceAll(/\s+/g, ' ').trim() }
}

/** Code on one line. @param {string} code */
const flat = (code) =>
  code
    .trim()
    .replaceAll(/(?<=[^\s{(,|&:=<])\n\s*(?=(?:readonly )?[\w'[\]]+\??:)/g, '; ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([:=(<]) \| /g, '$1 ')
    .replaceAll(/([(<]) | (?=[)>])/g, '$1')
    .replaceAll(/,(?=[)>])/g, '')

/** Whether code fits on one line and contains no comments. @param {string} code */
const isShort = (code) => !code.includes('/**') && flat(code).length <= 140

/** A field or a method as an item of a list. @param {Declaration} member */
const itemOf = ({ doc, code }) => {
  const { text, value } = withDefault(doc)
  // Every optional input can be null or undefined; the page says so once.
  const plain = withoutKeywords(code).replace(/(\?: [^]*?)(?:\s+\| null)?(?:\s+\| undefined)$/, '$1')
  const defaults = value === undefined || value === 'undefined' ? '' : `Default: \`${value.replaceAll('`', '')}\`.`
  const about = [text, defaults].filter((part) => part !== '').join(/\n(?:\n|- )/.test(text) ? '\n\n' : ' ')
  const name = /^(?:static |readonly )*([\w$]+|'[^']+')/.exec(plain.trim())?.[1]
  const item = isShort(plain)
    ? `- \`${flat(plain)}\`${about === '' ? '' : `: ${about}`}`
    : `- \`${name}\`${about === '' ? '' : `: ${about}`}\n\n${fence(plain.replaceAll(/\n {2}/g, '\n'))}`
  return item.replaceAll('\n', '\n  ').replaceAll(/[ \t]+\n/g, '\n')
}

/** The text below the name of a declaration. @param {Declaration} declaration */
const bodyOf = (declaration) => {
  const { head, members } = membersOf(declaration) ?? {}
  const code = fence(head === undefined ? withoutKeywords(declaration.code) : withoutKeywords(head))
  const { text } = withDefault(declaration.doc)
  const list = (members ?? []).map(itemOf).join('\n')
  return [text, code, list].filter((part) => part !== '').join('\n\n')
}

/** @param {Entry} entry */
const entryText = ({ name, declarations, isExported }) => {
  const note = isExported ? [] : ['Not exported: types that are made of it are.']
  // The last overload is the plain one, which is listed first.
  return [`### \`${name}\``, ...note, ...declarations.toReversed().map(bodyOf)].join('\n\n')
}

/** The subjects with their entries: what each exports, and what that is made of. @param {string} root */
const entriesOf = (root) => {
  const subjects = subjectsOf(root)
  const seen = new Set(subjects.flatMap(({ exports }) => exports.map(({ name }) => name)))
  /** @param {string} name @param {string} file @param {{ isType: boolean }} [exported] @returns {Entry[]} */
  const withParts = (name, file, exported) => {
    const declarations = declarationsOfName(root, file, name)
    const parts = declarations.flatMap(typesIn).flatMap((part) => {
      if (seen.has(part)) return []
      seen.add(part)
      return withParts(part, file)
    })
    const isMain = exported?.isType === false && declarations.every(isCallable)
    return declarations.length === 0
      ? []
      : [{ name, declarations, isExported: exported !== undefined, isMain }, ...parts]
  }
  return subjects.map(({ title, guide, exports }) => {
    return { title, guide, entries: exports.flatMap((each) => withParts(each.name, each.file, each)) }
  })
}

/** @param {string} root */
export const referenceText = (root) => {
  const subjects = entriesOf(root)
  const isMain = (/** @type {Entry} */ entry) => entry.isMain
  const anchor = (/** @type {Entry} */ { name }) => `[\`${name}\`](#${name.toLowerCase()})`
  const index = subjects.flatMap(({ title, entries }) => {
    const main = entries.filter(isMain).map(anchor)
    return main.length === 0 ? [] : [`| ${title} | ${main.join(', ')} |`]
  })
  const sections = subjects.map(({ title, guide, entries }) => {
    const ordered = [...entries.filter(isMain), ...entries.filter((entry) => !isMain(entry))]
    return `## ${title}\n\nGuide: [${guide}](${guide}).\n\n${ordered.map(entryText).join('\n\n')}\n`
  })
  return `# Reference

Every name that promptmason exports, with its type. Functions and classes:

| subject | functions and classes |
| --- | --- |
${index.join('\n')}

A field with a question mark can be left out; in inputs, \`undefined\` and \`null\` mean the same. Arrays that you pass are only read.

This page is made from the types in \`lib/\`: run \`npm run build:lib && node scripts/docs/generate.mjs\`.

${sections.join('\n')}`
}
