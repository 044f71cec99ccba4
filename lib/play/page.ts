/** The page of the playground: the views of `renderReport`, plus its own. */
import { join } from 'node:path'
import { AGENTS, TOKENIZERS } from '../command/prompt-options.js'
import { pageHtml, pageParts } from '../explain/html.js'
import { examples } from './examples.js'
import { MAX_BODY_BYTES } from './server.js'

const SCRIPTS = ['play-form.js', 'play-state.js', 'play-text.js', 'play-main.js']
const file = (name: string) => join(__dirname, 'page', name)

const dataOf = (given: { name: string; text: string } | null) => {
  return { examples: examples(), given, limit: MAX_BODY_BYTES, agents: AGENTS, tokenizers: TOKENIZERS }
}

export type PlayData = ReturnType<typeof dataOf>

export const playPage = (given: PlayData['given']) => {
  // It connects to its own server, which makes the prompts.
  const parts = pageParts(SCRIPTS.map(file), [file('play.css')], "; connect-src 'self'")
  const footer = 'What you enter stays on this machine: it is sent to promptmason play, which does not store it.'
  return { html: pageHtml(parts, 'promptmason playground', dataOf(given), footer), policy: parts.policy }
}
