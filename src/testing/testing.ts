// The entry `rostra/testing`: a server for tests.
export { connect } from './connect.ts'
export { RostraError, RostraStartError, RostraTimeoutError } from './errors.ts'
export type * from './options.ts'
export { startRostra } from './start.ts'
export type * from './types.ts'
export { openWorld, startWorlds, type WorldsAddress } from './worlds-client.ts'
