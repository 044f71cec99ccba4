/**
 * Draws results as an SVG: for each workload, how many times faster than linear JavaScript each way
 * to make the bytes is. To redraw: `node bench/chart.mjs [results.json] [chart.svg]`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { figure } from './figures.mjs'
import { speed } from './targets.mjs'

const DEFAULT_RESULTS = fileURLToPath(new URL('results.json', import.meta.url))
const DEFAULT_CHART = fileURLToPath(new URL('../docs/benchmark.svg', import.meta.url))

/** Pairs to compare, each in one shade: ours, then the JavaScript that does the same. */
const PAIRS = [
  [
    { of: ['ContextManager', 'into'], label: 'ContextManager, into your buffer', style: 'into' },
    { of: ['best stateful JS', 'into'], label: 'best stateful JavaScript, into your buffer', style: 'into-js' },
  ],
  [
    { of: ['ContextManager', 'bytes'], label: 'ContextManager, new Buffer', style: 'manager' },
    { of: ['best stateful JS', 'bytes'], label: 'best stateful JavaScript, new Buffer', style: 'stateful-js' },
  ],
  [
    { of: ['promptmason', 'bytes'], label: 'assemble, new Buffer', style: 'stateless' },
    { of: ['best JS', 'bytes'], label: 'best stateless JavaScript, new Buffer', style: 'best-js' },
  ],
]
const BASE = ['linear JS', 'bytes']

const WIDTH = 820
const LEFT = 250
const RIGHT = 70
const TOP = 118
const BAR = 9
const PAIR_GAP = 3
const PAIR = 2 * BAR + PAIR_GAP
const GAP = 14
const GROUP = PAIRS.length * PAIR + GAP

/** Ratios from a tenth to some thousands fit in one chart only on a logarithmic scale. */
const POWERS = [-1, 0, 1, 2, 3, 4]

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .note, .scale { fill: #59636e; font-size: 11px }
  .value { font-size: 9px; fill: #59636e }
  .grid { stroke: #d1d9e0 } .one { stroke: #59636e }
  .into { fill: #0b7a55 } .manager { fill: #2da678 } .stateless { fill: #8fd6b8 }
  .into-js { fill: #8a4f0a } .stateful-js { fill: #c8842f } .best-js { fill: #ecc491 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .note, .scale, .value { fill: #9198a1 }
    .grid { stroke: #3d444d } .one { stroke: #9198a1 }
    .into { fill: #56d4a4 } .manager { fill: #2a9d72 } .stateless { fill: #1d6049 }
    .into-js { fill: #f0b96c } .stateful-js { fill: #b57a2e } .best-js { fill: #6e481a }
  }`

const x = (ratio) => {
  const [least, most] = [POWERS[0], POWERS.at(-1)]
  const place = (Math.log10(ratio) - least) / (most - least)
  return LEFT + Math.min(1, Math.max(0, place)) * (WIDTH - LEFT - RIGHT)
}

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const text = (at, y, content, style = '', anchor = 'start') =>
  `<text x="${at.toFixed(1)}" y="${y.toFixed(1)}" class="${style}" text-anchor="${anchor}">${escape(content)}</text>`

/** A title, in two lines if it is long. */
function groupTitle(title, y) {
  const [first, ...rest] = title.split(', ')
  const lines = title.length > 36 ? [first, rest.join(', ')] : [title]
  return lines.map((line, index) => text(LEFT - 10, y + index * 14, line, index > 0 ? 'note' : '', 'end'))
}

function group(measured, top) {
  const bars = PAIRS.flatMap((pair, row) =>
    pair.flatMap(({ of, style }, index) => {
      const ratio = speed(measured, of, BASE)
      if (ratio === undefined) return []
      const y = top + row * PAIR + index * BAR
      const [start, end] = [x(1), x(ratio)].toSorted((a, b) => a - b)
      return [
        `<rect x="${start.toFixed(1)}" y="${y}" width="${Math.max(1, end - start).toFixed(1)}" height="${BAR - 1}" class="${style}"/>`,
        text(Math.max(end, x(1)) + 4, y + BAR - 1.5, `${figure(ratio, 1)} ×`, 'value'),
      ]
    }),
  )
  return [...groupTitle(measured.title, top + 18), ...bars]
}

/** One row per pair. */
function legend() {
  const columns = [LEFT, LEFT + 240]
  return PAIRS.flatMap((pair, row) =>
    pair.flatMap(({ label, style }, index) => {
      const at = columns[index]
      const y = 58 + row * 15
      return [`<rect x="${at}" y="${y - 9}" width="10" height="10" class="${style}"/>`, text(at + 15, y, label, 'note')]
    }),
  )
}

export function chart({ workloads, machine }) {
  const bottom = TOP + workloads.length * GROUP
  const grid = POWERS.flatMap((power) => {
    const at = x(10 ** power)
    return [
      `<line x1="${at}" y1="${TOP - 8}" x2="${at}" y2="${bottom}" class="${power === 0 ? 'one' : 'grid'}"/>`,
      text(at, TOP - 12, `${10 ** power} ×`, 'scale', 'middle'),
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${bottom + 34}" viewBox="0 0 ${WIDTH} ${bottom + 34}" role="img" aria-label="Speed against straightforward linear JavaScript">`,
    `<style>${STYLE}\n</style>`,
    text(16, 24, 'Prompts as bytes: how many times faster than straightforward linear JavaScript', 'title'),
    text(
      16,
      40,
      `Longer is faster; left of 1 × is slower. Scale of powers. Node ${machine.node}, ${machine.platform}.`,
      'note',
    ),
    ...legend(),
    ...grid,
    ...workloads.flatMap((measured, index) => group(measured, TOP + index * GROUP)),
    text(16, bottom + 20, 'Medians over the rounds of one interleaved run. Made by npm run bench.', 'note'),
    '</svg>',
  ].join('\n')
}

export function drawChart(results, file = DEFAULT_CHART) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${chart(results)}\n`)
  console.log(`\nChart: ${file}`)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [from = DEFAULT_RESULTS, to = DEFAULT_CHART] = process.argv.slice(2)
  drawChart(JSON.parse(readFileSync(from, 'utf8')), resolve(to))
}
