/** llms.txt: the index of the docs for agents, in the form of llmstxt.org. Generated from docs/README.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROW = /^\| \[(?<title>[^\]]+)\]\((?<target>[^)]+)\) \| (?<about>.+) \|$/

/** A row of the index as an item of a list. @param {string} line */
const itemOf = (line) => {
  const { title, target = '', about } = ROW.exec(line)?.groups ?? {}
  const path = target.startsWith('../') ? target.slice(3) : `docs/${target}`
  return title === undefined ? [] : [`- [${title}](${path}): ${about}`]
}

/** @param {string} root */
export const llmsText = (root) => {
  const { name, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [, ...sections] = readFileSync(join(root, 'docs', 'README.md'), 'utf8').split('\n## ')
  const lists = sections.map((section) => {
    const [title, ...lines] = section.split('\n')
    return `## ${title}\n\n${lines.flatMap(itemOf).join('\n')}\n`
  })
  const start =
    '- [README](README.md): installation and the two ways to start\n- [All types](index.d.ts): every export, with defaults\n'
  return `# ${name}\n\n> ${description}\n\n${start}\n${lists.join('\n')}`
}
