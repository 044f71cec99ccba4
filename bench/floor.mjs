/**
 * The minimum cost of returning a new Buffer: allocating it and copying the same number of bytes
 * into it. It is measured beside the candidates, to show how much of their time the engine and the
 * system take. That share varies, so a candidate may come out slightly below.
 */
import { bestStatefulJs } from './candidates/best-stateful-js.mjs'

export const FLOOR = 'new Buffer, one copy'

/**
 * @param {import('./workloads.mjs').Workload} workload
 * @param {import('./workloads.mjs').Message[]} messages
 */
export function floorEntry({ fixed, session }, messages) {
  const conversation = bestStatefulJs.start(fixed)
  const sizes = []
  for (const [turn, message] of messages.entries()) {
    conversation.add(message)
    if (session || turn === messages.length - 1) sizes.push(conversation.bytes().length)
  }
  const source = Buffer.alloc(fixed.maxBytes, 'x')
  const copy = (size) => {
    const target = size < Buffer.poolSize >>> 1 ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size)
    source.copy(target, 0, 0, size)
    return target
  }
  const run = () => {
    let result
    for (const size of sizes) result = copy(size)
    return result
  }
  return { candidate: { name: FLOOR }, form: 'bytes', name: FLOOR, session, run }
}
