// The entry `rostra/vitest/setup`, for `globalSetup`: one PostgreSQL for the run, from which each worker gets a world.
import type { TestProject } from 'vitest/node'
import type { ServerOptions } from './options.ts'
import { startWorlds, type WorldsAddress } from './worlds-client.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Settings of the servers, from `test.provide` of the configuration. */
    rostra?: ServerOptions
    /** Set by the global setup. */
    rostraWorlds?: WorldsAddress
  }
}

/** Starts the worlds, and returns what ends them. They also end when vitest is killed. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const options = (project.config.provide as { rostra?: ServerOptions } | undefined)?.rostra
  const worlds = await startWorlds(options)
  project.provide('rostraWorlds', worlds.address)
  return worlds.stop
}
