import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/support/sampling.setup.ts', 'tests/support/database.setup.ts'],
    pool: 'forks',
    isolate: false,
    // Many tests wait for timers and child processes: one worker more than the cores of a small machine keeps them busy.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
