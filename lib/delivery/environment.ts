/** The environment that CLIs inherit, without the variables that would break them. */
import { PROFILES } from './profiles/index.js'

/** Variables that an agent's session sets for its tools. A CLI that sees them assumes that it is such a tool. */
const SESSION_VARIABLES = PROFILES.flatMap(({ sessionVariables }) => sessionVariables)

/** Variables that make every Node program wait for a debugger, or fail because its port is taken. */
const INSPECTOR = /^--(?:inspect|debug)(?:-|=|$)/

/** Variables that VS Code sets for the same purpose. */
const INSPECTOR_VARIABLE = 'VSCODE_INSPECTOR_OPTIONS'

export const inherited = (env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> => {
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

/**
 * An environment with other values for some variables; `undefined` removes one. On Windows, names
 * that differ in letter case are the same variable.
 */
export const withVariables = (
  env: Readonly<Record<string, string | undefined>>,
  changes: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string | undefined> => {
  if (platform !== 'win32') return { ...env, ...changes }
  const changed = new Set(Object.keys(changes).map((name) => name.toUpperCase()))
  const kept = Object.entries(env).filter(([name]) => !changed.has(name.toUpperCase()))
  return { ...Object.fromEntries(kept), ...changes }
}
