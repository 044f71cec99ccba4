/** `promptmason play`: a page to edit a conversation and watch its prompt change. */
import { type Command, UsageError } from '../command.js'
import { readText } from '../read-input.js'

export const play: Command = {
  name: 'play',
  args: [{ name: '[FILE|-]', completes: 'file' }],
  about: 'Serve a page where you edit a conversation and see its prompt change',
  details:
    'The page is served on 127.0.0.1, on a free port and below a random path, until you press Ctrl-C. Nothing is stored. The input is what explain takes; without a file, the page starts from an example.',
  options: {},

  async run(call) {
    const [file] = call.args
    const given = file === undefined ? null : { name: file, text: await readText(file, call) }
    const { MAX_BODY_BYTES, startServer } = require('../../play/server.js') as typeof import('../../play/server.js')
    if (given !== null && Buffer.byteLength(given.text) > MAX_BODY_BYTES)
      throw new UsageError(`${given.name} is too large for the page: it takes ${MAX_BODY_BYTES / 1024 / 1024} MiB`)
    const { playPage } = require('../../play/page.js') as typeof import('../../play/page.js')
    const interrupted = call.surroundings.interrupted()
    const { url, close } = await startServer(playPage(given))
    return {
      value: { url },
      text: () => `The playground is at ${url}\nPress Ctrl-C to end it.\n`,
      until: interrupted.then(close),
    }
  },
}
