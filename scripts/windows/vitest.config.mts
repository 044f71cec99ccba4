import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** For `npm run test:windows`. Wine is slow, and Node's child processes under it fail now and then in parallel. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  // Several versions of Node run at the same time.
  cacheDir: `node_modules/.vite-${process.versions.node}`,
  test: {
    include: ['__test__/**/*.test.ts'],
    exclude: ['**/*.redis.test.ts', '__test__/browser/**'],
    setupFiles: ['__test__/support/setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
