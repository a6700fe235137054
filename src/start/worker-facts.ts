import type { Settings } from '../settings.ts'
import type { ConnectionOptions } from '../storage/database.ts'

/** What the supervisor tells a worker over their channel: not by the environment, which others of the same user can read. */
export interface WorkerFacts {
  settings: Settings
  connection: ConnectionOptions
  machine: number
  secretKey: string
  clockOffsetMs: number
}

/** A worker's word that it has loaded the product and waits for the facts. */
export const LOADED = 'loaded'
/** A worker's word that it hears what the others change; the channel keeps it before its first request. */
export const HEARS = 'hears'
