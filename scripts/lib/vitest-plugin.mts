/**
 * Lets vitest test `lib/` as it is: it is compiled before the first test, and again when a file
 * changes in watch mode. Then the tests run again that have loaded that file.
 *
 * Tests load what users load, `dist/`, with Node's own `require`: as CommonJS, subject by subject on
 * first use, also in workers and child processes. Vite sees none of it, so it cannot tell by itself.
 */
import { relative } from 'node:path'
import type { Plugin } from 'vitest/config'
import { buildLib, isStale, lib } from './compile.mjs'
import { testsThatLoad } from './loaded.mjs'

/** Editors write several files at once. */
const SETTLE_MS = 20

export const watchedLib = (): Plugin => {
  if (isStale()) buildLib()
  let isWatching = false
  return {
    name: 'promptmason:lib',
    configureVitest({ vitest }) {
      // Called once for each project.
      if (isWatching || !vitest.config.watch) return
      isWatching = true
      const changed = new Set<string>()
      let timer: NodeJS.Timeout | undefined
      const rerun = async () => {
        const files = [...changed]
        changed.clear()
        buildLib()
        const specifications = await vitest.globTestSpecifications(files.flatMap((file) => testsThatLoad(file)))
        if (specifications.length > 0) await vitest.rerunTestSpecifications(specifications)
      }
      vitest.vite.watcher.add(lib).on('all', (_event, file) => {
        if (relative(lib, file).startsWith('..')) return
        changed.add(relative(lib, file))
        clearTimeout(timer)
        timer = setTimeout(() => void rerun(), SETTLE_MS)
      })
    },
  }
}
