import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { watchedLib } from './scripts/lib/vitest-plugin.mjs'

/** Tests that start many processes: they build, install, bundle, or try the engine's options. */
const slow = [
  '__test__/engine/*.test.ts',
  '__test__/packaging/{bundlers,contributing,jest,readme,tarballs}.test.ts',
  '__test__/delivery/{ending,files,process,turns,workers}.test.ts',
  '__test__/command/{completion,play}.test.ts',
  '__test__/manager/lifetime.test.ts',
  '__test__/migration/migration.test.ts',
  '__test__/stores/processes.test.ts',
  '__test__/conversation/{clis,demo,kills}.test.ts',
]

/**
 * Tests that only compute, and change nothing that others see. Those of one process share it: to start one
 * takes half a second, and they are a third of all files.
 */
const shared = [
  '__test__/{arrays,assemblers,budgets,parts,prompts,sessions,tokens,visibility}/*.test.ts',
  '__test__/layouts/{layouts,markers,misspelled,own,own.properties}.test.ts',
  '__test__/reports/{account,account.properties,report,summary-covers}.test.ts',
]

/** Tests that need a Redis server. */
const redis = ['__test__/**/*.redis.test.ts']

/** Tests that need Chromium. */
const browser = ['__test__/browser/*.test.ts']

/** Tests that convert much text: they run again without vector instructions. */
const transcoding = [
  '__test__/assemblers/{forms,hostile-content,joined,long-messages,names}.test.ts',
  '__test__/manager/snapshot.test.ts',
]

const setupFiles = ['__test__/support/setup.ts']
/** Of one test. A busy machine needs more than the usual 5 s for some that try many inputs. */
const testTimeout = 60_000

/** One for all projects. */
const compiled = watchedLib()

export default defineConfig({
  test: {
    // Many tests wait for programs and timers. By default, one core is left alone even then.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        plugins: [compiled],
        test: {
          name: 'fast',
          include: ['__test__/**/*.test.ts'],
          exclude: [...shared, ...slow, ...redis, ...browser],
          setupFiles,
          testTimeout,
        },
      },
      {
        plugins: [compiled],
        // In watch mode, a process would keep what it has loaded.
        test: { name: 'shared', include: shared, isolate: !process.argv.includes('run'), setupFiles, testTimeout },
      },
      {
        test: {
          name: 'portable',
          include: transcoding,
          setupFiles: [...setupFiles, '__test__/support/portable.ts'],
          testTimeout,
        },
      },
      { test: { name: 'slow', include: slow, globalSetup: '__test__/support/pack.ts', setupFiles, testTimeout } },
      { test: { name: 'redis', include: redis, setupFiles, testTimeout } },
      { test: { name: 'browser', include: browser, setupFiles, testTimeout } },
    ],
  },
})
