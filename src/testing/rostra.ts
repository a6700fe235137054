// The entry `rostra`: control of a server that is running.
export { connect } from './connect.ts'
export { RostraError, RostraStartError, RostraTimeoutError } from './errors.ts'
export type * from './options.ts'
export type * from './types.ts'
