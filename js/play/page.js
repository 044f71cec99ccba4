'use strict'
/** The page of the playground: the views of `renderReport`, plus its own. */
const { join } = require('node:path')
const { AGENTS, TOKENIZERS } = require('../command/prompt-options.js')
const { pageHtml, pageParts } = require('../explain/html.js')
const { examples } = require('./examples.js')
const { MAX_BODY_BYTES } = require('./server.js')

const SCRIPTS = ['play-form.js', 'play-state.js', 'play-text.js', 'play-main.js']
/** @param {string} name */
const file = (name) => join(__dirname, 'page', name)

/** @param {{ name: string, text: string } | null} given A conversation to start from. */
const playPage = (given) => {
  const parts = pageParts({
    scripts: SCRIPTS.map(file),
    styles: [file('play.css')],
    // Its own server, which makes the prompts.
    policy: "; connect-src 'self'",
  })
  const html = pageHtml(parts, {
    title: 'promptmason playground',
    data: { examples: examples(), given, limit: MAX_BODY_BYTES, agents: AGENTS, tokenizers: TOKENIZERS },
    footer: 'What you enter stays on this machine: it is sent to promptmason play, which does not store it.',
  })
  return { html, policy: parts.policy }
}

module.exports = { playPage }
