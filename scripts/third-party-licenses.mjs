/**
 * Writes THIRD-PARTY-LICENSES, which ships with every binary: what is linked into it, and the notices
 * and licences that have to be included. Run it when Cargo.lock or the release's Rust version changes.
 *
 *     node scripts/third-party-licenses.mjs            # writes the file, and its copies in npm/
 *     node scripts/third-party-licenses.mjs --check    # only compares which crates it lists; offline
 *
 * Crates come from `cargo tree` for every released target. Procedural macros run in the compiler and
 * are not linked. The notices of the standard library come from the documentation of the toolchain,
 * which has to be that of the release.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const FILE = 'THIRD-PARTY-LICENSES'

/** For crates without a licence file in the package: a file from the same repository. */
const NAPI_LICENCE = join('node_modules', '@napi-rs', 'cli', 'LICENSE')
const LICENCES_ELSEWHERE = { napi: NAPI_LICENCE, 'napi-sys': NAPI_LICENCE }

/** Parts of a toolchain that an addon links in addition to the standard library. */
const NOT_LINKED = new Set(['getopts', 'test', 'proc_macro', 'rustc_literal_escaper', 'profiler_builtins', 'sysroot'])
const isWorkspaceShim = (name) => name.startsWith('rustc_std_workspace_')
/** The parts of the standard library that share its notices. */
const OWN_PARTS = new Set(['alloc', 'core', 'panic_abort', 'panic_unwind', 'std', 'std_detect', 'unwind'])

const output = (command, args) => execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
const read = (...path) => readFileSync(join(root, ...path), 'utf8')
/** `Map.groupBy`, which Node 20 does not have. */
const groupBy = (values, keyOf) => {
  const groups = new Map()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return groups
}
const unique = (values) => [...new Set(values)].toSorted()

const isCheck = process.argv.includes('--check')
const lock = read('Cargo.lock')
const locked = [...lock.matchAll(/^name = "(.+)"\nversion = "(.+)"$/gm)].map(
  ([, name, version]) => `${name} ${version}`,
)
const { targets } = JSON.parse(read('package.json')).napi
const linked = unique(
  targets.flatMap((target) => {
    const edges = ['--edges', 'normal,no-proc-macro', '--target', target, '--prefix', 'none', '--format', '{p}']
    const lines = output('cargo', ['tree', '--locked', ...(isCheck ? ['--offline'] : []), ...edges]).split('\n')
    return lines.flatMap((line) => /^(\S+) v(\S+)/.exec(line)?.slice(1, 3).join(' ') ?? [])
  }),
).filter((crate) => !crate.startsWith('promptmason '))
const onlyForBuilding = locked.filter((crate) => !linked.includes(crate) && !crate.startsWith('promptmason '))

const listOf = (crates) => crates.map((crate) => `  ${crate}`).join('\n')
const lists = `Crates that are linked:

${listOf(linked)}

Crates that only take part in building or testing, and are not in the binary:

${listOf(onlyForBuilding)}
`

if (isCheck) {
  if (!read(FILE).includes(lists)) {
    console.error(`${FILE} lists other crates than are linked. Run: node scripts/third-party-licenses.mjs`)
    process.exit(1)
  }
  process.exit()
}

/** The licence under which a crate is used: MIT, or else its only one. */
const licenceOfFolder = (folder, name) => {
  const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file))
  const file = files.find((found) => /mit/i.test(found)) ?? files.find((found) => /^licen[cs]e(\.\w+)?$/i.test(found))
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8')
  const elsewhere = LICENCES_ELSEWHERE[name]
  if (elsewhere === undefined) throw new Error(`${name} has no licence file that is known here`)
  return read(elsewhere)
}

const { packages } = JSON.parse(output('cargo', ['metadata', '--locked', '--format-version', '1']))
const ofCrates = linked.map((crate) => {
  const { name, manifest_path } = packages.find((one) => `${one.name} ${one.version}` === crate)
  return { name, text: licenceOfFolder(dirname(manifest_path), name) }
})

/** Splits a licence into the lines that name its holders, and the terms, which are mostly the same. */
const isNotice = (line) => /^\s*Copyright (?!notice|holder|and)/.test(line)
const isTitle = (line) => /^\s*(the )?mit license( \(mit\))?\s*$/i.test(line)
const noticesOf = (lines) => lines.filter(isNotice).map((line) => line.trim().replace(/ or$/, ''))
const parse = ({ name, text, notices }) => {
  const lines = text.replaceAll('\r', '').split('\n')
  const terms = lines
    .filter((line) => !isNotice(line) && !isTitle(line))
    .join('\n')
    .trim()
  return { name, notices: notices ?? noticesOf(lines), terms, key: terms.replace(/\s+/g, ' ').replace(/\.$/, '') }
}

const sysroot = output('rustc', ['--print', 'sysroot']).trim()
const rust = /^rustc (\S+)/.exec(output('rustc', ['--version']))[1]
const released = /RUST: (\S+)/.exec(read('.github', 'workflows', 'release.yml'))[1]
if (rust !== released) throw new Error(`The release is built with Rust ${released}, and this is ${rust}`)

const plain = (html) =>
  html
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#60;', '<')
    .replaceAll('&#62;', '>')
    .replaceAll('&#38;', '&')
const documents = join(sysroot, 'share', 'doc', 'rust')
const [inTree, ...library] = readFileSync(join(documents, 'COPYRIGHT-library.html'), 'utf8').split('<h3>📦 ')
// The list of the library leaves out some of its crates, which the list of the compiler includes.
const compiler = readFileSync(join(documents, 'COPYRIGHT.html'), 'utf8').split('<h3>📦 ').slice(1)

const headingOf = (section) => section.slice(0, section.indexOf('<'))
const newestLast = (a, b) => headingOf(a).localeCompare(headingOf(b), 'en', { numeric: true })

/** The MIT licence of a crate, from the notices of the toolchain. */
const licenceInToolchain = (name) => {
  const isOf = (section) => new RegExp(`^${name.replaceAll('_', '[_-]')}-\\d`).test(section)
  const section = library.find(isOf) ?? compiler.filter(isOf).toSorted(newestLast).at(-1)
  const files = [...(section ?? '').matchAll(/<summary><code>(.+?)<\/code><\/summary>\s*<pre>\n?([^]*?)<\/pre>/g)]
  const found =
    files.find(([, file]) => /mit/i.test(file)) ??
    files.find(([, , text]) => text.includes('Permission is hereby granted'))
  if (found === undefined) throw new Error(`The toolchain has no MIT licence of ${name}`)
  return plain(found[2])
}

const compiled = readdirSync(join(sysroot, 'lib', 'rustlib', 'x86_64-unknown-linux-gnu', 'lib'))
  .flatMap((file) => /^lib(\w+)-\w+\.rlib$/.exec(file)?.[1] ?? [])
  .filter((name) => !NOT_LINKED.has(name) && !isWorkspaceShim(name) && !OWN_PARTS.has(name))
// Apart from the library's own code, `compiler_builtins` contains the functions of `libm`.
const inLibrary = unique(compiled.map((name) => (name === 'compiler_builtins' ? 'libm' : name)))
const mit = licenceInToolchain('hashbrown')
const ofLibrary = inLibrary.map((name) => {
  const text = licenceInToolchain(name)
  // The licence of `libm` covers several works, all of them under MIT.
  const license = name === 'libm' ? { text: mit, notices: noticesOf(text.split('\n')) } : { text }
  return { name: `${name} (in the standard library)`, ...license }
})

// The library's own code: notices by folder. Code for other systems is not linked.
const folders = inTree
  .split('File/Directory:')
  .slice(1)
  .filter((folder) => !folder.includes('fuchsia'))
const underMit = folders.filter((folder) => /License:<\/b> [^<]*MIT/.test(folder)).join('')
const ofRust = unique(
  [...underMit.matchAll(/Copyright:<\/b> ([^<]+)/g)].map(([, holder]) => `Copyright ${plain(holder).trim()}`),
)
const unicode = readFileSync(join(documents, 'licenses', 'Unicode-3.0.txt'), 'utf8')

const parsed = [
  ...ofCrates,
  { name: 'the Rust standard library', text: mit, notices: ofRust },
  ...ofLibrary,
  { name: 'the tables of characters in the Rust standard library and in unicode-segmentation', text: unicode },
].map(parse)

const groups = groupBy(parsed, ({ key }) => key)
const texts = [...groups.values()].map((group) => {
  const byNotice = groupBy(group, ({ notices }) => notices.join('\n    '))
  const named = [...byNotice].map(
    ([notices, ones]) => `  ${ones.map(({ name }) => name).join(', ')}${notices && `:\n    ${notices}`}`,
  )
  return `${'-'.repeat(80)}\n\n${named.join('\n')}\n\n${group[0].terms.replaceAll(/[ \t]+$/gm, '')}\n`
})

const text = `What is in the binary of promptmason besides its own code, with notices and licences. Of several
licences to choose from, it is MIT that was chosen. The vocabularies are described in NOTICE.
Written by scripts/third-party-licenses.mjs.

${lists}
The Rust standard library ${rust}, with:

${listOf(inLibrary)}

${texts.join('\n')}`

for (const folder of ['.', ...readdirSync(join(root, 'npm')).map((name) => join('npm', name))])
  writeFileSync(join(root, folder, FILE), text)
console.log(`${FILE}: ${linked.length} crates, ${groups.size} licences, ${Buffer.byteLength(text)} bytes`)
