import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['rostra/vitest/setup'],
    provide: { rostra: { rateLimits: false } },
    // The first test of a worker waits for its world.
    testTimeout: 30_000,
  },
})
