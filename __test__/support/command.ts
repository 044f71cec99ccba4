/** Runs the command `promptmason` in a thread: a process of its own takes many times as long to start. */
import { join } from 'node:path'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'

export interface CommandOutput {
  status: number
  stdout: string
  stderr: string
}

/** A function that runs the command in the current directory, and waits for it. */
export const commandThread = (env: NodeJS.ProcessEnv) => {
  const worker = new Worker(join(import.meta.dirname, 'command-thread.cjs'), { env })
  worker.unref()
  return (args: readonly string[], input: string | Uint8Array = ''): CommandOutput => {
    const { port1, port2 } = new MessageChannel()
    const done = new Int32Array(new SharedArrayBuffer(4))
    worker.postMessage({ args, input, answer: port2, done }, [port2])
    Atomics.wait(done, 0, 0, 60_000)
    const received: { message?: CommandOutput } | undefined = receiveMessageOnPort(port1)
    port1.close()
    if (received?.message === undefined) throw new Error(`promptmason ${args.join(' ')} has not ended`)
    return received.message
  }
}
