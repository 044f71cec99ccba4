/** docs/reference.md: every exported name with its signature and its documentation, generated from what `lib/` is compiled to. */
import { declarationsOf, membersOf, nameOf } from './declarations.mjs'
import { compiledText, subjectsOf } from './exports.mjs'

/** What exported types inherit from, without being exported. */
const INHERITED = ['ContextAssembler', 'PromptMaterials']

/** @typedef {import('./declarations.mjs').Declaration} Declaration */

const fence = (/** @type {string} */ code) => `\`\`\`ts\n${code}\n\`\`\``
const withoutKeywords = (/** @type {string} */ code) => code.replace(/^\s*(?:export )?(?:declare )?/, '')
/** Turns names of files in docs/ into links. */
const linked = (/** @type {string} */ text) => text.replaceAll(/\bdocs\/([\w-]+\.md)\b/g, '[$1]($1)')

/** A comment without its default, and the default. @param {string} doc */
const withDefault = (doc) => {
  const [text = '', value] = doc.split(/(?:^|\n)@default /)
  return { text: linked(text.trim()), value: value?.replaceAll(/\s+/g, ' ').trim() }
}

/** Whether code fits on one line and contains no comments. @param {string} code */
const isShort = (code) => !code.includes('/**') && code.replaceAll(/\s+/g, ' ').length <= 140

/** A field or a method as an item of a list. @param {Declaration} member */
const itemOf = ({ doc, code }) => {
  const { text, value } = withDefault(doc)
  // Every optional input can be null or undefined; the page says so once.
  const plain = withoutKeywords(code).replace(/(\?: [^]*?)(?:\s+\| null)?(?:\s+\| undefined)$/, '$1')
  const defaults = value === undefined || value === 'undefined' ? '' : `Default: \`${value.replaceAll('`', '')}\`.`
  const about = [text, defaults].filter((part) => part !== '').join(/\n(?:\n|- )/.test(text) ? '\n\n' : ' ')
  const name = /^(?:static |readonly |protected )*([\w$]+|'[^']+')/.exec(plain.trim())?.[1]
  const item = isShort(plain)
    ? `- \`${plain.replaceAll(/\s+/g, ' ').trim()}\`${about === '' ? '' : `: ${about}`}`
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

/** The declarations of a file by name; overloads share a name. @param {Declaration[]} declarations */
const byName = (declarations) => {
  /** @type {Map<string, Declaration[]>} */
  const names = new Map()
  for (const declaration of declarations) {
    const name = nameOf(declaration)
    names.set(name, [...(names.get(name) ?? []), declaration])
  }
  return [...names]
}

/** @param {string} root */
export const referenceText = (root) => {
  const subjects = subjectsOf(root).map(({ title, guide, exports }) => ({
    title,
    guide,
    names: exports.flatMap(({ file, names }) => {
      const declared = byName(declarationsOf(compiledText(root, file)))
      return declared.filter(([name]) => names.includes(name) || INHERITED.includes(name))
    }),
  }))
  const callable = (/** @type {Declaration[]} */ [first]) =>
    /^export declare (?:function|class|namespace) /.test(first?.code ?? '')
  const anchor = (/** @type {string} */ name) => `[\`${name}\`](#${name.toLowerCase()})`
  const index = subjects.flatMap(({ title, names }) => {
    const main = names.filter(([, declarations]) => callable(declarations)).map(([name]) => anchor(name))
    return main.length === 0 ? [] : [`| ${title} | ${main.join(', ')} |`]
  })
  const sections = subjects.map(({ title, guide, names }) => {
    const isMain = (/** @type {[string, Declaration[]]} */ [, declarations]) => callable(declarations)
    const ordered = [...names.filter(isMain), ...names.filter((entry) => !isMain(entry))]
    // The last overload is the plain one, which is listed first.
    const entries = ordered.map(
      ([name, declarations]) =>
        `### \`${name}\`\n\n${INHERITED.includes(name) ? 'Not exported: the types that extend it are.\n\n' : ''}${declarations.toReversed().map(bodyOf).join('\n\n')}\n`,
    )
    return `## ${title}\n\nGuide: [${guide}](${guide}).\n\n${entries.join('\n')}`
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
