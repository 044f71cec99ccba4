/**
 * Reads the declarations of a formatted `.d.ts` file. It relies on the formatter: a declaration begins
 * at the left margin, its members are indented by two spaces, and everything else by more.
 */

/**
 * @typedef {object} Declaration
 * @property {string} doc The text of its comment.
 * @property {string} code Without the comment.
 */

/** The text of a comment, without its stars. @param {string} comment */
const textOf = (comment) =>
  comment
    .replace(/^\s*\/\*\*/, '')
    .replace(/\*\/\s*$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim()

/**
 * Splits lines into declarations with this indentation.
 * @param {string[]} lines
 * @param {string} indent
 * @returns {Declaration[]}
 */
const split = (lines, indent) => {
  /** @type {{ doc: string[], code: string[] }[]} */
  const found = []
  let doc = /** @type {string[]} */ ([])
  let inComment = false
  for (const line of lines) {
    const own = line.startsWith(indent) ? line.slice(indent.length) : ''
    if (own.startsWith('/**')) [doc, inComment] = [[], true]
    if (inComment) {
      doc.push(line)
      inComment = !line.endsWith('*/')
    } else if (/^[\w$'"[(<#]/.test(own)) {
      found.push({ doc, code: [line] })
      doc = []
    } else if (line.trim() !== '' && !own.startsWith('//')) found.at(-1)?.code.push(line)
  }
  return found.map(({ doc: comment, code }) => ({ doc: textOf(comment.join('\n')), code: code.join('\n') }))
}

/** What a file declares, in order. @param {string} text */
export const declarationsOf = (text) =>
  split(text.split('\n'), '')
    .filter(({ code }) => !/^import |^export [*{]|^export type \{/.test(code))
    .map(({ doc, code }) => ({ doc, code: asFunction(code.replaceAll(/\bimport\('[^']*'\)\./g, '')) }))

/** A constant that holds a function, as a function. @param {string} code */
const asFunction = (code) => {
  const [, start = '', rest = ''] = /^((?:export )?(?:declare )?)const (\w+: ?[<(][^]*)$/.exec(code) ?? []
  if (rest === '') return code
  let depth = 0
  for (let at = rest.indexOf(':') + 1; at < rest.length; at++) {
    if (rest.startsWith(') => ', at) && depth === 1)
      return `${start}function ${rest.slice(0, at).replace(/: ?/, '')}): ${rest.slice(at + 5)}`
    if ('({<['.includes(rest[at] ?? '')) depth++
    else if (')}]'.includes(rest[at] ?? '') || (rest[at] === '>' && rest[at - 1] !== '=')) depth--
  }
  return code
}

const HEAD =
  /^(?:export )?(?:declare )?(?:abstract )?(?<kind>interface|type|class|namespace|const|let|function) (?<name>\w+)/

/** The name of a declaration. @param {Declaration} declaration */
export const nameOf = ({ code }) => HEAD.exec(code)?.groups?.['name'] ?? ''

/** Whether nothing of it is there at run time. @param {Declaration} declaration */
const isType = ({ code }) => /^(?:interface|type)$/.test(HEAD.exec(code)?.groups?.['kind'] ?? '')

/** Whether it is a function, or has functions. @param {Declaration} declaration */
export const isCallable = (declaration) =>
  !isType(declaration) && !/^(?:export )?(?:declare )?(?:const|let) \w+: [^{]/.test(declaration.code)

/** The types that it names, and others. @param {Declaration} declaration @returns {string[]} */
export const typesIn = ({ code }) => code.replaceAll(/\/\*\*[^]*?\*\/|'[^']*'/g, '').match(/\b[A-Z]\w*/g) ?? []

/**
 * The first line of what has members, and the public ones. Undefined for others.
 * @param {Declaration} declaration
 * @returns {{ head: string, members: Declaration[] } | undefined}
 */
export const membersOf = ({ code }) => {
  if (
    !/^(?:export )?(?:declare )?(?:abstract )?(?:interface |class |namespace |(?:const|let) \w+: (?:Readonly<)?\{$)/m.test(
      code.split('\n')[0] ?? '',
    )
  )
    return undefined
  const lines = code.split('\n')
  const opening = lines.findIndex((line) => line.endsWith('{') || line.endsWith('{}'))
  const head = lines
    .slice(0, opening + 1)
    .join(' ')
    .replace(/:? ?\{\}?$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const members = split(lines.slice(opening + 1, -1), '  ')
  return { head, members: members.filter((member) => !/^\s*(?:#|private |protected )/.test(member.code)) }
}
