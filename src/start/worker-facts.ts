import type { ClockState } from '../process/clock.ts'
import type { Determinism } from '../process/deterministic.ts'
import type { Settings } from '../settings.ts'
import type { ConnectionOptions } from '../storage/database.ts'

/** What the supervisor sends a worker over their channel, not through the environment, which other processes of the user can read. */
export interface WorkerFacts {
  settings: Settings
  connection: ConnectionOptions
  machine: number
  secretKey: string
  clock: ClockState
  determinism: Determinism | undefined
  /** The disk of the database is full. */
  isFull: boolean
  /** Real time that the installation has reached, also if the system's clock is behind it. */
  clockReachedMs: number
}

/** Sent by a worker that has loaded the product and waits for the facts. */
export const LOADED = 'loaded'
/** Sent by a worker that handles messages of the bus; the channel delivers it before anything the worker sends later. */
export const ON_BUS = 'on-bus'
/** Sent by a worker that takes requests. */
export const READY = 'ready'
/** Sent to a worker that is to stop. */
export const STOP = 'stop'
