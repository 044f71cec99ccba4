/** Where tests keep what they install from npm: a folder outside the repository. */
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder of one kind of thing; `PROMPTMASON_…` says where it is instead. */
export const cacheFolder = (name: string): string =>
  process.env[`PROMPTMASON_${name.toUpperCase()}`] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), `promptmason-${name}`)
