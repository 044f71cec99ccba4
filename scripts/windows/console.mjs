/**
 * Tests the command in a Windows console: its colours, and the width of its lines. Node under Wine has
 * no terminal in the tests, so this runs Wine's console in a terminal of this system.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const COLUMNS = 60
const INPUT = {
  agentType: 'codex',
  contextMessages: [{ from: 'anna', to: 'ben', content: '你好，世界 '.repeat(20) }],
  message: 'Where do the tokens live?',
}

/** @typedef {(args: string[], env: Record<string, string>) => Promise<unknown>} RunInTerminal */

/** What the command writes. @param {string} file Of `script`, which adds a line before and after. */
const linesOf = (file) =>
  readFileSync(file, 'utf8')
    .split(/[\r\n]+/)
    .slice(1)
    .filter((line) => line !== '' && !line.startsWith('Script done'))

/**
 * @param {string} folder For files.
 * @param {string[]} node The command that starts Node.
 * @param {RunInTerminal} run Runs a program of this system.
 * @returns {Promise<{ name: string, message: string, isPassed: boolean }[]>}
 */
export const checkConsole = async (folder, node, run) => {
  const [input, output] = ['input.json', 'terminal'].map((name) => join(folder, name))
  writeFileSync(input, JSON.stringify(INPUT))
  const show = async (/** @type {string} */ noColor) => {
    const command = [...node, 'dist/command/cli.js', 'explain', `Z:${input.replaceAll('/', '\\\\')}`].join(' ')
    await run(['-qec', `stty cols ${COLUMNS} rows 30; exec ${command}`, output], { NO_COLOR: noColor })
    return linesOf(output)
  }
  const coloured = await show('')
  const plain = await show('1')
  const bar = plain.find((line) => line.startsWith('['))
  const check = (/** @type {string} */ name, /** @type {boolean} */ isPassed, /** @type {string[]} */ lines) => ({
    name,
    isPassed,
    message: lines.join('\n'),
  })
  return [
    check(
      'has colours',
      coloured.some((line) => line.includes('\u001B[32mC\u001B[0m')),
      coloured,
    ),
    check('has none with NO_COLOR', !plain.some((line) => line.includes('\u001B[32m')), plain),
    check(`has ${COLUMNS} columns`, bar?.length === COLUMNS && bar.endsWith(']'), plain),
  ]
}
