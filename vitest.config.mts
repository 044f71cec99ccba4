import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { include: ['__test__/**/*.test.ts'], setupFiles: ['__test__/support/setup.ts'] },
})
