'use strict'
/** The environment that CLIs inherit: without what would break them. */
const { PROFILES } = require('./profiles/index.js')

/** What the session of an agent sets for its tools: a CLI that sees them takes itself for one. */
const SESSION_VARIABLES = PROFILES.flatMap(({ sessionVariables }) => sessionVariables)

/** What makes every program that runs on Node wait for a debugger, or fail because its port is taken. */
const INSPECTOR = /^--(?:inspect|debug)(?:-|=|$)/

/** What VS Code sets for the same purpose. */
const INSPECTOR_VARIABLE = 'VSCODE_INSPECTOR_OPTIONS'

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Record<string, string | undefined>}
 */
const inherited = (env) => {
  const kept = { ...env }
  for (const name of [...SESSION_VARIABLES, INSPECTOR_VARIABLE]) delete kept[name]
  const { NODE_OPTIONS: options } = kept
  if (options?.includes('--inspect') === true || options?.includes('--debug') === true) {
    kept['NODE_OPTIONS'] = options
      .split(' ')
      .filter((option) => !INSPECTOR.test(option))
      .join(' ')
  }
  return kept
}

module.exports = { inherited }
