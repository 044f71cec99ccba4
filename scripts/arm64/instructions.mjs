/**
 * Counts the instructions that the transcoder takes on 64-bit ARM, for each kind of text, with and
 * without NEON: `node scripts/arm64/instructions.mjs`. Run `npm run test:arm64` first, which installs
 * the compiler and the emulator. An emulator cannot measure time, but it counts exactly.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { kindsOfText } from '../../bench/transcode-texts.mjs'
import { table } from '../../bench/report.mjs'

const UNITS = 1030
const target = 'aarch64-unknown-linux-gnu'
const { PROMPTMASON_ARM64_CACHE, XDG_CACHE_HOME } = process.env
const cache = PROMPTMASON_ARM64_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'promptmason-arm64')
const crate = join(import.meta.dirname, '..', '..', 'bench', 'transcode')
const qemu = join(cache, 'root', 'usr', 'bin', 'qemu-aarch64-static')

execFileSync(
  'cargo',
  [
    'build',
    '--quiet',
    '--release',
    '--no-default-features',
    '--target',
    target,
    '--manifest-path',
    join(crate, 'Cargo.toml'),
  ],
  {
    stdio: 'inherit',
    env: { ...process.env, CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER: join(cache, 'linker') },
  },
)
const program = join(crate, 'target', target, 'release', 'transcode')
const help = execFileSync(qemu, ['-h'], { encoding: 'utf8' })
/** One instruction per block, so that each is logged. Newer versions of qemu use another name for the option. */
const single = help.includes('-one-insn-per-tb') ? '-one-insn-per-tb' : '-singlestep'

async function instructions(file, conversion, transcoder, times) {
  const args = ['-L', join(cache, 'root', 'usr', 'aarch64-linux-gnu'), single, '-d', 'exec,nochain', program]
  const child = spawn(qemu, [...args, file, String(UNITS), conversion, transcoder, String(times)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let lines = 0
  for await (const line of createInterface({ input: child.stderr })) if (line.startsWith('Trace')) lines++
  return lines
}

/** Subtracts the instructions of the rest of the program. */
async function ofOneRun(file, conversion, transcoder) {
  const [once, twice] = await Promise.all([1, 2].map((times) => instructions(file, conversion, transcoder, times)))
  return twice - once
}

const folder = mkdtempSync(join(tmpdir(), 'instructions-'))
try {
  const rows = []
  for (const { kind, text } of kindsOfText(UNITS)) {
    const file = join(folder, 'text')
    writeFileSync(file, text)
    for (const conversion of ['encode', 'decode']) {
      // oxlint-disable-next-line no-await-in-loop -- the file is the same
      const [neon, portable] = await Promise.all(
        ['ours', 'portable'].map((transcoder) => ofOneRun(file, conversion, transcoder)),
      )
      rows.push([kind, conversion, String(neon), String(portable), `${(portable / neon).toFixed(2)} ×`])
    }
  }
  console.log(`Instructions for ${UNITS.toLocaleString('en')} UTF-16 units\n`)
  console.log(table(['text', 'conversion', 'NEON', 'portable', 'portable / NEON'], rows))
} finally {
  rmSync(folder, { recursive: true })
}
