/** A coordinator that exits in the middle of a delivery, by `process.exit`, when its stdin ends. */
import { readFileSync } from 'node:fs'
import { type DeliveryPlan, deliver } from 'promptmason'

const { stdin, ...plan } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as DeliveryPlan & {
  removed: string[]
}
const env = { ...plan.env, ...Object.fromEntries(plan.removed.map((name) => [name, undefined])) }

deliver({ ...plan, env, stdin: Buffer.from(stdin as unknown as string, 'base64') }).catch(() => {})
process.stdin.on('end', () => process.exit(0)).resume()
