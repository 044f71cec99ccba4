/**
 * Reads the declarations of a `.d.ts` file. It relies on the formatter: a declaration begins at the left
 * margin, its members are indented by two spaces, and everything else by more.
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
    } else if (/^[\w$'"[]/.test(own)) {
      found.push({ doc, code: [line] })
      doc = []
    } else if (line.trim() !== '' && !own.startsWith('//')) found.at(-1)?.code.push(line)
  }
  return found.map(({ doc: comment, code }) => ({ doc: textOf(comment.join('\n')), code: code.join('\n') }))
}

/** What a file declares, in order. @param {string} text */
export const declarationsOf = (text) =>
  split(text.split('\n'), '').filter(({ code }) => !/^import |^export [*{]/.test(code))

/** The name of a declaration. @param {Declaration} declaration */
export const nameOf = ({ code }) =>
  /^(?:export )?(?:declare )?(?:interface|type|class|namespace|const|function) (\w+)/.exec(code)?.[1] ?? ''

/**
 * The first line of an interface, a class or a namespace, and its members. Undefined for others.
 * @param {Declaration} declaration
 * @returns {{ head: string, members: Declaration[] } | undefined}
 */
export const membersOf = ({ code }) => {
  if (!/^(?:export )?(?:declare )?(?:interface|class|namespace) /.test(code)) return undefined
  const lines = code.split('\n')
  const opening = lines.findIndex((line) => line.endsWith('{') || line.endsWith('{}'))
  const head = lines
    .slice(0, opening + 1)
    .join(' ')
    .replace(/\{\}?$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return { head, members: split(lines.slice(opening + 1, -1), '  ') }
}
