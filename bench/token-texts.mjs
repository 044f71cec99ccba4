/**
 * Texts for counting tokens: messages of about 1 KB, each used only once. Counters cache the words
 * that they have seen, so texts that repeat a few words would say little.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { numbers } from './text.mjs'

const ROOT = new URL('../', import.meta.url)
const MESSAGE_BYTES = 1024
const MIXED_CHARACTERS = 30

/** The files below a folder with one of these endings, joined. */
function filesIn(folder, endings) {
  const names = readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
  const wanted = names.filter((name) => endings.some((ending) => name.endsWith(ending))).toSorted()
  return wanted.map((name) => readFileSync(new URL(`${folder}/${name}`, ROOT), 'utf8')).join('\n')
}

const withoutCode = (text) => text.replaceAll(/```.*?```/gs, '')

/** Prose from the development dependencies, each line once: documents, and comments on types. */
function english() {
  const comments = filesIn('node_modules/@types/node', ['.d.ts']).matchAll(/^ +\* (.*)$/gm)
  const documents = withoutCode(filesIn('node_modules', ['.md'])).split('\n')
  const isProse = (line) =>
    (line.match(/(^| )[A-Za-z][a-z]+(?=[ ,.:]|$)/g)?.length ?? 0) > line.split(' ').length * 0.7 && line.length > 40
  return [...new Set([...Array.from(comments, ([, line]) => line), ...documents].filter(isProse))].join('\n')
}

/** Lines of this repository, in ASCII and without special tokens, which peers refuse or count differently. */
function code() {
  const lines = ['src', 'lib', '__test__'].flatMap((folder) => filesIn(folder, ['.rs', '.js', '.ts']).split('\n'))
  return lines.filter((line) => /^[\t -~]*$/.test(line) && !line.includes('<|')).join('\n')
}

/**
 * Chinese generated from the Chinese README: each character follows one that it also follows there.
 * Phrases are therefore ordinary, and sentences are new.
 */
function chinese(next) {
  const known =
    withoutCode(readFileSync(new URL('README.zh-CN.md', ROOT), 'utf8'))
      .match(/[\p{Script=Han}，。：；、]+/gu)
      ?.join('') ?? ''
  const followers = new Map()
  for (let at = 0; at + 1 < known.length; at++) {
    if (!followers.has(known[at])) followers.set(known[at], [])
    followers.get(known[at]).push(known[at + 1])
  }
  let last = known[0]
  return (characters) =>
    Array.from({ length: characters }, () => {
      const choices = followers.get(last) ?? known
      last = choices[(next() >>> 8) % choices.length]
      return last
    }).join('')
}

export const EMOJI = [
  '👍',
  '👍🏽',
  '🎉',
  '✅',
  '❌',
  '🚀',
  '😀',
  '👨‍👩‍👧‍👦',
  '🇨🇳',
  '⚠️',
  '🔥',
  '💡',
  '🫠',
  '1️⃣',
  '🏳️‍🌈',
  '❤️',
]
const WORDS =
  'Привет мир данные ошибка Ελληνικά δοκιμή مرحبا بالعالم שלום עולם नमस्ते दुनिया สวัสดี 안녕하세요 데이터 こんにちは データ naïve café Straße'.split(
    ' ',
  )

/** Prose or code mixed with about as many Chinese characters, as in text.mjs, and with emoji or words in other scripts. */
function mixed(next) {
  const pick = (choices) => choices[(next() >>> 8) % choices.length]
  const lines = [english(), code()].flatMap((text) => text.split('\n').filter((line) => line.length > MIXED_CHARACTERS))
  const phrase = chinese(next)
  const other = () => pick([EMOJI, WORDS])
  return () => `${pick(lines).slice(0, MIXED_CHARACTERS)} ${pick(other())}${phrase(MIXED_CHARACTERS)} ${pick(other())}`
}

/** The next text from a source that returns small pieces. */
const filled = (source) => () => {
  const parts = []
  for (let bytes = 0; bytes < MESSAGE_BYTES; ) {
    const part = source()
    parts.push(part)
    bytes += Buffer.byteLength(part) + 1
  }
  return parts.join('\n')
}

/** The lines of a text. Throws at the end: repeated text would no longer be new. */
function linesOf(text) {
  const lines = text.split('\n')
  let at = 0
  return () => {
    if (at === lines.length)
      throw new Error('there is not enough text that is new: install the development dependencies')
    return lines[at++] ?? ''
  }
}

/** A flat string, like text from outside. */
const flat = (text) => Buffer.from(text).toString()

const SOURCES = {
  English: () => linesOf(english()),
  code: () => linesOf(code()),
  CJK: () => {
    const next = numbers(11)
    const phrase = chinese(next)
    return () => phrase(40)
  },
  mixed: () => mixed(numbers(13)),
}

export const KINDS = /** @type {(keyof typeof SOURCES)[]} */ (Object.keys(SOURCES))

/**
 * This many messages of a kind.
 * @param {keyof typeof SOURCES} kind
 * @param {number} count
 */
export function messagesOf(kind, count) {
  const next = filled(SOURCES[kind]())
  return Array.from({ length: count }, () => flat(next()))
}
