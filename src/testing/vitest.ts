// The entry `rostra/vitest`: tests with a world of their worker.
import { test as base, inject, type TestAPI } from 'vitest'
import type { ServerOptions } from './options.ts'
import { ownWorker } from './own-environment.ts'
import type { Rostra } from './types.ts'
import { openWorld, type WorldsAddress } from './worlds-client.ts'

export { RostraError, RostraStartError, RostraTimeoutError } from './errors.ts'
export type * from './options.ts'
export type * from './types.ts'
export type { WorldsAddress } from './worlds-client.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Settings of the servers, from `test.provide` of the configuration. */
    rostra?: ServerOptions
    /** Set by the global setup. */
    rostraWorlds?: WorldsAddress
  }
}

/** What tests get. */
export interface RostraFixtures {
  /** Whether the world is reset before each test; `test.extend({ rostraReset: false })` keeps it. */
  rostraReset: boolean
  /** The server of this worker. */
  rostra: Rostra
}

let opening: Promise<Rostra> | undefined

/** The server of this worker, for hooks and for tests without the fixture. It is made on first use. */
export function rostraOfWorker(): Promise<Rostra> {
  opening ??= open()
  return opening
}

async function open(): Promise<Rostra> {
  const address = inject('rostraWorlds')
  if (address === undefined)
    throw new Error("There are no worlds. Add 'rostra/vitest/setup' to test.globalSetup of the vitest configuration.")
  // With isolation every file has a process of its own. Those that take turns have the same number, and use the same world.
  return openWorld(address, `worker-${ownWorker()}`)
}

/** Fixtures for a `test.extend` of your own. */
export const rostraFixtures = {
  rostraReset: [true, { injected: true }] as [boolean, { injected: true }],
  rostra: async ({ rostraReset }: { rostraReset: boolean }, use: (rostra: Rostra) => Promise<void>): Promise<void> => {
    const rostra = await rostraOfWorker()
    if (rostraReset) await rostra.reset()
    await use(rostra)
  },
}

/** `test` of vitest with the fixture `rostra`. */
export const test: TestAPI<RostraFixtures> = base.extend<RostraFixtures>(rostraFixtures)
export const it: TestAPI<RostraFixtures> = test
