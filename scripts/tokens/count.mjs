/**
 * Counts the tokens of many texts, for `check.py`. Reads from standard input, for each text, its
 * size in four bytes (lowest first) and its UTF-8 bytes. Writes a line with the count for each.
 *
 *     node scripts/tokens/count.mjs o200k < texts
 */
import { countTokens } from '../../index.js'

const tokenizer = process.argv[2]
const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const input = Buffer.concat(chunks)
const counts = []
for (let at = 0; at < input.length; ) {
  const start = at + 4
  at = start + input.readUInt32LE(at)
  const bytes = input.subarray(start, at)
  const count = countTokens(bytes, tokenizer)
  if (countTokens(bytes.toString(), tokenizer) !== count) throw new Error('a string is not counted as its bytes are')
  counts.push(count)
}
process.stdout.write(`${counts.join('\n')}\n`)
