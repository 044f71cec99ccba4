/**
 * Which transcoder is fastest: V8's own, encoding_rs, simdutf, or ours (src/text/transcode/).
 *
 *     node bench/transcode.mjs        needs Rust and a C++ compiler, which simdutf wants
 *
 * The texts are those of messages (340 and 1,030 UTF-16 units) and of a large one. V8's own
 * conversion is measured into memory that is there already, as the others are, so what a new
 * Buffer costs is not in it.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { table } from './report.mjs'
import { numbers } from './text.mjs'

const ascii = (next) => 0x61 + ((next() >>> 8) % 26)
const ideograph = (next) => 0x4e00 + ((next() >>> 8) % 8000)
const cyrillic = (next) => (next() >>> 8) % 7 === 0 ? 0x20 : 0x430 + ((next() >>> 8) % 32)
const EMOJI = 0x1f600

/** @type {Record<string, (next: () => number, at: number) => number>} */
const KINDS = {
  ASCII: ascii,
  CJK: (next, at) => at % 60 === 59 ? 0x0a : ideograph(next),
  'ASCII and CJK': (next, at) => at % 40 < 20 ? ascii(next) : ideograph(next),
  Cyrillic: cyrillic,
  'CJK with emoji': (next, at) => at % 50 === 49 ? EMOJI : ideograph(next),
}
const UNITS = [340, 1030, 250_000]

function textOf(kind, units) {
  const next = numbers(kind.length * 7919)
  let text = ''
  for (let at = 0; text.length < units; at++) text += String.fromCodePoint(KINDS[kind](next, at))
  // Flat, and stored as text that came from a file is.
  return kind === 'ASCII' ? Buffer.from(text).toString('latin1') : Buffer.from(text, 'utf16le').toString('utf16le')
}

/** Nanoseconds of a call: the fastest of many rounds. */
function nanoseconds(units, call) {
  const [rounds, calls] = units > 10_000 ? [60, 1] : [300, Math.floor(40_000 / units)]
  const times = Array.from({ length: rounds }, () => {
    const start = process.hrtime.bigint()
    for (let each = 0; each < calls; each++) call()
    return Number(process.hrtime.bigint() - start) / calls
  })
  return Math.min(...times)
}

function timesOfV8(text) {
  const bytes = Buffer.from(text)
  const target = Buffer.alloc(bytes.length)
  return {
    encode: nanoseconds(text.length, () => target.utf8Write(text, 0)),
    decode: nanoseconds(text.length, () => bytes.utf8Slice(0, bytes.length)),
    measure: nanoseconds(text.length, () => Buffer.byteLength(text)),
  }
}

const folder = mkdtempSync(join(tmpdir(), 'transcode-'))
try {
  const texts = UNITS.flatMap((units) => Object.keys(KINDS).map((kind) => ({ kind, units, text: textOf(kind, units) })))
  const fileOf = (index) => String(index).padStart(2, '0')
  for (const [index, { text }] of texts.entries()) writeFileSync(join(folder, fileOf(index)), text)
  const manifest = fileURLToPath(new URL('transcode/Cargo.toml', import.meta.url))
  const printed = execFileSync('cargo', ['run', '--release', '--quiet', '--manifest-path', manifest, '--', folder], { encoding: 'utf8' })
  const native = new Map(printed.trim().split('\n').map((line) => {
    const [name, ...times] = line.split('\t')
    return [name, times.map(Number)]
  }))
  const shown = (time) => Number.isNaN(time) ? '–' : Math.round(time).toLocaleString('en')
  for (const [title, way, first] of [['UTF-16 to UTF-8', 'encode', 0], ['UTF-8 to UTF-16', 'decode', 3], ['Measuring UTF-16', 'measure', 6]]) {
    const rows = texts.map(({ kind, units, text }, index) => {
      const [ours, encodingRs, simdutf] = native.get(fileOf(index)).slice(first, first + 3)
      return [`${kind}, ${units.toLocaleString('en')} units`, ours, timesOfV8(text)[way], encodingRs, simdutf].map((cell, column) => column === 0 ? cell : shown(cell))
    })
    console.log(`\n## ${title}, nanoseconds\n\n${table(['text', 'ours', 'V8', 'encoding_rs', 'simdutf'], rows)}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}
