import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { countHooks } from './count-hooks.ts'
import { GivenOrder } from './given-order.ts'
import { keptPool } from './kept-worker.ts'

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  plugins: [
    {
      name: 'kept-pool',
      // Stryker asks for threads; this is asked last.
      configureVitest: ({ project, vitest }) => {
        project.config.pool = 'kept' as never
        project.config.poolRunner = keptPool
        countHooks(vitest)
      },
    },
  ],
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(','),
    globalSetup: ['tests/run/sampling.setup.ts', 'tests/mutation/database.setup.ts'],
    setupFiles: ['tests/mutation/coverage.setup.ts'],
    isolate: false,
    sequence: { sequencer: GivenOrder },
    // Stryker ends what takes too long; instrumented code on a busy machine takes its time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
