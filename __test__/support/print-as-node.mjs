/** Makes `console.log` of Bun and Deno print as Node does. */
import { format } from 'node:util'

console.log = (...values) => void process.stdout.write(`${format(...values)}\n`)
