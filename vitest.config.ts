import { defineConfig } from 'vitest/config'
import { LongestFirst } from './tests/run/longest-first.ts'
import { casesOf, filesOfRun, seedOfRun } from './tests/run/test-files.ts'

export default defineConfig(({ mode }) => {
  // Files that are named are run, whatever the sample is.
  const isNamed = process.argv.slice(2).some((word) => word.includes('tests/'))
  const seed = seedOfRun()
  return {
    test: {
      ...filesOfRun(isNamed ? 'all' : casesOf(mode), seed),
      globalSetup: [
        'tests/run/memory-folder.setup.ts',
        'tests/run/sampling.setup.ts',
        'tests/support/database.setup.ts',
      ],
      pool: 'forks',
      isolate: false,
      // Many tests wait for timers and child processes: one worker more than the cores of a small machine keeps them busy.
      maxWorkers: 3,
      sequence: { sequencer: LongestFirst },
      runner: 'tests/run/time-limit.ts',
      // A run takes modules that did not change from the one before, instead of compiling a thousand of them.
      experimental: { fsModuleCache: true },
      testTimeout: 240_000,
      hookTimeout: 300_000,
      // Tests that kill processes or drive a browser depend on how busy the machine is. What failed once is marked in the output.
      retry: 1,
      expect: { poll: { timeout: 60_000 } },
    },
  }
})
