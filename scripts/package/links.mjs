/** The links and pictures of a Markdown file. */

/**
 * @typedef {object} Link
 * @property {string} target As it is written.
 * @property {number} start Where the target begins in the text.
 * @property {boolean} isPicture
 */

/** Code is not Markdown. It is blanked out, so that offsets stay the same. @param {string} text */
const withoutCode = (text) => {
  const blank = (/** @type {string} */ code) => code.replaceAll(/[^\n]/g, 'x')
  return text.replaceAll(/^( *)(```|~~~)[^]*?^\1\2/gm, blank).replaceAll(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, blank)
}

const PATTERNS = [
  { pattern: /(?<picture>!)?\[(?:[^[\]]|\[[^[\]]*\])*\]\((?<target>[^\s()]+)(?: "[^"]*")?\)/g },
  { pattern: /^\[[^\]]+\]: (?<target>\S+)$/gm },
  { pattern: /\bhref="(?<target>[^"]+)"/g },
  { pattern: /\b(?<picture>src|srcset)="(?<target>[^"\s]+)"/g },
]

/**
 * Every link of a Markdown text, in order.
 * @param {string} text
 * @returns {Link[]}
 */
export const linksOf = (text) => {
  const readable = withoutCode(text)
  const links = PATTERNS.flatMap(({ pattern }) =>
    [...readable.matchAll(pattern)].map(({ 0: whole, index, groups }) => ({
      target: groups?.target ?? '',
      start: index + whole.lastIndexOf(groups?.target ?? ''),
      isPicture: groups?.picture !== undefined,
    })),
  )
  return links.toSorted((one, other) => one.start - other.start)
}

/**
 * The text with other targets. `change` returns the new target of a link.
 * @param {string} text
 * @param {(link: Link) => string} change
 */
export const withLinks = (text, change) =>
  linksOf(text).reduceRight(
    (changed, link) => changed.slice(0, link.start) + change(link) + changed.slice(link.start + link.target.length),
    text,
  )

/** Whether a target is a file of this repository, or an anchor in one. @param {string} target */
export const isLocal = (target) => !/^[a-z][a-z\d+.-]*:/i.test(target)

/**
 * The anchors in a Markdown text, as GitHub generates them.
 * @param {string} text
 */
export const anchorsOf = (text) => {
  /** @type {Map<string, number>} */
  const counts = new Map()
  const headings = text.replaceAll(/^( *)(```|~~~)[^]*?^\1\2/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm)
  return new Set(
    [...headings].map(([, title = '']) => {
      const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
      const name = plain.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-')
      const count = counts.get(name) ?? 0
      counts.set(name, count + 1)
      return count === 0 ? name : `${name}-${count}`
    }),
  )
}
