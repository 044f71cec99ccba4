/** `promptmason completion`, in the shells themselves. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LayoutAssembler } from 'promptmason'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../dist/command/commands.js'
import { AGENTS } from '../../dist/command/prompt-options.js'
import { root } from '../support/documents.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'promptmason-completion-'))
  mkdirSync(join(folder, 'a directory'))
  writeFileSync(join(folder, 'a file.json'), '{}')
})
afterAll(() => rmSync(folder, { recursive: true }))

const scripts = new Map<string, string>()
const scriptFor = (shell: string): string => {
  const made = scripts.get(shell)
  if (made !== undefined) return made
  const args = [join(root, 'dist', 'command', 'cli.js'), 'completion', shell]
  const path = join(folder, `complete.${shell}`)
  writeFileSync(path, spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout)
  scripts.set(shell, path)
  return path
}
const linesOf = (command: string, args: string[]): string[] => {
  const { stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', timeout: 30_000 })
  if (error !== undefined) throw error
  expect(stderr).toBe('')
  return stdout.split('\n').filter((line) => line !== '')
}

/** An interactive zsh that prints what it would offer. Calls that only fill an array offer nothing. */
const ZSH_INNER = `
PROMPT=
autoload -Uz compinit
compinit -u -D
source ./complete.zsh
compadd() {
  typeset -a found
  if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then
    builtin compadd -A found "$@"
    (( $#found )) && print -rl -- "<"\${^found}">"
  fi
  builtin compadd "$@"
}
offer() { print START; _main_complete; print END; exit }
zle -C offer complete-word offer
bindkey '^I' offer
`
const ZSH_DRIVER = `
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "source ./inner.zsh; print REA''DY"
zpty -r inner seen '*READY*'
zpty -w -n inner "$1"$'\\t'
zpty -r inner seen '*START*END*'
print -r -- $seen
`

/** What each shell offers for a line. */
const SHELLS: Record<string, (line: string) => string[]> = {
  bash(line) {
    const words = line.split(' ').map((word) => `'${word}'`)
    const call = `COMP_WORDS=(${words.join(' ')}) COMP_CWORD=${words.length - 1}; _promptmason; printf '%s\\n' "\${COMPREPLY[@]}"`
    return linesOf('bash', ['--norc', '-c', `source '${scriptFor('bash')}'; ${call}`])
  },
  zsh(line) {
    scriptFor('zsh')
    writeFileSync(join(folder, 'inner.zsh'), ZSH_INNER)
    writeFileSync(join(folder, 'driver.zsh'), ZSH_DRIVER)
    return [...new Set(linesOf('zsh', ['-f', 'driver.zsh', line]).flatMap((text) => /<(.*)>/.exec(text)?.[1] ?? []))]
  },
  fish(line) {
    const found = linesOf('fish', ['--no-config', '-c', `source '${scriptFor('fish')}'; complete -C '${line}'`])
    return found.map((text) => text.split('\t')[0] ?? '')
  },
}

it('knows every agent whose layout is built in', () => {
  const named = new Set(AGENTS.map((agent) => LayoutAssembler.for(agent).getAgentType() as string))
  expect(named.size).toBe(AGENTS.length)
  let message = ''
  try {
    LayoutAssembler.for('nobody')
  } catch (error) {
    message = (error as Error).message
  }
  const known = /one of (.*), unknown, got 'nobody'$/.exec(message)?.[1]?.split(', ')
  expect([...named]).toEqual(known)
})

const missing = new Set(Object.keys(SHELLS).filter((shell) => spawnSync(shell, ['-c', 'exit 0']).error !== undefined))
describe.each(Object.entries(SHELLS))('%s', (shell, offered) => {
  const test = it.skipIf(missing.has(shell))

  test('offers the commands', () => {
    expect(
      offered('promptmason ')
        .filter((word) => !word.startsWith('-'))
        .toSorted(),
    ).toEqual(COMMANDS.map(({ name }) => name).toSorted())
    expect(offered('promptmason ex')).toEqual(['explain'])
  })

  test('offers the options of a command', () => {
    for (const { name, options } of COMMANDS) {
      const words = offered(`promptmason ${name} --`)
      for (const option of [...Object.keys(options), 'json', 'help']) expect(words).toContain(`--${option}`)
      const others = COMMANDS.flatMap((command) => Object.keys(command.options)).filter(
        (option) => !(option in options),
      )
      for (const option of others) expect(words).not.toContain(`--${option}`)
    }
  })

  test('offers values', () => {
    expect(offered('promptmason explain --agent ').toSorted()).toEqual(AGENTS.toSorted())
    expect(offered('promptmason instructions --preset c').toSorted()).toEqual([
      'claude-code',
      'codex',
      'copilot',
      'cursor',
    ])
    expect(offered('promptmason explain --max-bytes ')).toEqual([])
    expect(offered('promptmason completion f')).toEqual(['fish'])
  })

  test('offers paths', () => {
    const plain = (words: string[]) => words.map((word) => word.replaceAll('\\', '').replace(/\/$/, '')).toSorted()
    expect(plain(offered('promptmason explain a'))).toEqual(['a directory', 'a file.json'])
    expect(plain(offered('promptmason explain --html a'))).toEqual(['a directory', 'a file.json'])
    expect(plain(offered('promptmason instructions a'))).toEqual(['a directory'])
  })
})
