/**
 * Finds the fastest transcoder: ours (src/text/transcode/) with vector instructions, ours without,
 * V8's own, encoding_rs, or simdutf.
 *
 *     node bench/transcode.mjs            needs Rust, and a C++ compiler for simdutf
 *
 * The texts have the sizes of messages (340 and 1,030 UTF-16 units) and of a large text. Each round
 * converts many different ones. V8's own conversion writes to existing memory, like the others, so
 * the cost of a new Buffer is not included. encoding_rs converts to UTF-16 in two ways: from bytes
 * that it validates, like all others, and from text known to be well-formed.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { table } from './report.mjs'
import { kindsOfText } from './transcode-texts.mjs'

const UNITS = [340, 1030, 250_000]
const LARGEST = Math.max(...UNITS)
const ROUNDS = 30

/** Pieces of a text as flat strings, stored like text from a file. */
function piecesOf(text, units) {
  const encoding = /^[\0-\x7f]*$/.test(text) ? 'latin1' : 'utf16le'
  return Array.from({ length: Math.floor(text.length / units) }, (_, index) =>
    Buffer.from(text.slice(index * units, (index + 1) * units), encoding).toString(encoding),
  )
}

/** Nanoseconds per piece: the fastest of many rounds. */
function nanoseconds(pieces, call) {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = process.hrtime.bigint()
    for (const piece of pieces) call(piece)
    return Number(process.hrtime.bigint() - start) / pieces.length
  })
  return Math.min(...times)
}

function timesOfV8(text, units) {
  const pieces = piecesOf(text, units)
  const target = Buffer.alloc(units * 3)
  return {
    encode: nanoseconds(pieces, (piece) => target.utf8Write(piece, 0)),
    decode: nanoseconds(
      pieces.map((piece) => Buffer.from(piece)),
      (bytes) => bytes.utf8Slice(0, bytes.length),
    ),
    measure: nanoseconds(pieces, (piece) => Buffer.byteLength(piece)),
  }
}

const folder = mkdtempSync(join(tmpdir(), 'transcode-'))
try {
  const texts = kindsOfText(LARGEST)
  for (const [index, { text }] of texts.entries()) writeFileSync(join(folder, String(index)), text)
  const manifest = fileURLToPath(new URL('transcode/Cargo.toml', import.meta.url))
  const run = ['run', '--release', '--quiet', '--manifest-path', manifest, '--', folder]
  const rows = UNITS.flatMap((units) => {
    const printed = execFileSync('cargo', [...run, String(units)], { encoding: 'utf8' })
    const lines = printed
      .trim()
      .split('\n')
      .map((line) => line.split('\t'))
    return texts.flatMap(({ kind, text }, index) => {
      const v8 = timesOfV8(text, units)
      return lines
        .filter(([name]) => name === String(index))
        .map(([, way, ...times]) => ({
          way,
          name: `${kind}, ${units.toLocaleString('en')} units`,
          times: [v8[way], ...times.map(Number)],
        }))
    })
  })
  const shown = (time) => (Number.isFinite(time) ? Math.round(time).toLocaleString('en') : '–')
  for (const [title, wanted] of [
    ['UTF-16 to UTF-8', 'encode'],
    ['UTF-8 to UTF-16', 'decode'],
    ['Measuring UTF-16', 'measure'],
  ]) {
    const cells = rows
      .filter(({ way }) => way === wanted)
      .map(({ name, times: [v8, ours, portable, encodingRs, unchecked, simdutf] }) => [
        name,
        shown(ours),
        shown(portable),
        shown(v8),
        shown(encodingRs),
        shown(unchecked),
        shown(simdutf),
        Number.isFinite(encodingRs) ? (encodingRs / portable).toFixed(2) : '–',
      ])
    const heads = ['text', 'ours', 'portable', 'V8', 'encoding_rs', 'unchecked', 'simdutf', 'portable × encoding_rs']
    console.log(`\n## ${title}, nanoseconds\n\n${table(heads, cells)}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}
