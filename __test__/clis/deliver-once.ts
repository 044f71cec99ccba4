/** A coordinator that delivers the plan in a file, and prints the outcome in a few words. */
import { readFileSync } from 'node:fs'
import { type DeliveryPlan, deliver } from 'promptmason'

const { stdin, ...plan } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as DeliveryPlan & {
  removed: string[]
}
const env = { ...plan.env, ...Object.fromEntries(plan.removed.map((name) => [name, undefined])) }

deliver({ ...plan, env, stdin: Buffer.from(stdin as unknown as string, 'base64') }).then(
  ({ text, error }) => console.log(text === undefined ? `${error?.code}: ${error?.message}` : 'an answer'),
  (error: NodeJS.ErrnoException) => console.log(`${error.code}: ${error.message}`),
)
