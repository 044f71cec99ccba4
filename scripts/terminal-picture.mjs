/**
 * Draws the screen of a terminal as an SVG:
 *
 *     tmux new-session -d -s watch -x 116 -y 20 'node --import tsx examples/watch.ts'
 *     tmux capture-pane -t watch -e -p | node scripts/terminal-picture.mjs > docs/watch.svg
 */
import { text } from 'node:stream/consumers'

const [CELL_WIDTH, CELL_HEIGHT, MARGIN] = [8.4, 18, 16]
const COLORS = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 36: '#79c0ff' }

/** @param {string} value */
const escaped = (value) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A line as runs of text with the same style. @param {string} line */
const runsOf = (line, style = { color: '#e6edf3', isBold: false, isDim: false }) => {
  const runs = []
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  for (const [, codes, content] of line.matchAll(/(?:\u001b\[([\d;]*)m)?([^\u001b]*)/g)) {
    for (const code of codes?.split(';') ?? []) {
      if (code === '0' || code === '') Object.assign(style, { color: '#e6edf3', isBold: false, isDim: false })
      if (code === '1') style.isBold = true
      if (code === '2') style.isDim = true
      if (code === '39') style.color = '#e6edf3'
      if (code in COLORS) style.color = COLORS[/** @type {keyof typeof COLORS} */ (Number(code))]
    }
    if (content !== '') runs.push({ content, ...style })
  }
  return runs
}

const lines = (await text(process.stdin)).trimEnd().split('\n')
let columns = 0
const drawn = lines.map((line, row) => {
  let column = 0
  return runsOf(line)
    .map(({ content, color, isBold, isDim }) => {
      const x = MARGIN + column * CELL_WIDTH
      column += [...content].length
      columns = Math.max(columns, column)
      if (content.trim() === '') return ''
      const length = [...content].length * CELL_WIDTH
      const style = `fill="${color}"${isBold ? ' font-weight="bold"' : ''}${isDim ? ' opacity="0.55"' : ''}`
      const y = MARGIN + (row + 0.75) * CELL_HEIGHT
      return `<text x="${x.toFixed(1)}" y="${y}" textLength="${length.toFixed(1)}" ${style} xml:space="preserve">${escaped(content)}</text>`
    })
    .join('')
})
const [width, height] = [columns * CELL_WIDTH + 2 * MARGIN, lines.length * CELL_HEIGHT + 2 * MARGIN]
console.log(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${drawn.filter((line) => line !== '').join('\n')}
</svg>`)
