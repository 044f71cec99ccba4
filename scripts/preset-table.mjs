/**
 * Writes the table of presets into docs/instructions.md, from the data in `src/instructions/preset/`.
 * A unit test of the core checks that the table is up to date.
 */
import { execFileSync } from 'node:child_process'

execFileSync('cargo', ['test', '--quiet', '--lib', 'the_documentation_has_the_table_of_the_presets'], {
  cwd: new URL('..', import.meta.url),
  env: { ...process.env, WRITE_PRESET_TABLE: '1' },
  stdio: ['ignore', 'ignore', 'inherit'],
})
