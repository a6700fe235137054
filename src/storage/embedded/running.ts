import type { Binaries } from './binaries.ts'
import type { DatabaseLocation } from './location.ts'
import type { Postmaster } from './postmaster.ts'

/** Connection facts for the `pg` library. */
export interface Connection {
  /** The folder of the unix socket; on Windows 127.0.0.1, with a password. */
  host: string
  port: number
  user: string
  database: string
  password?: string
}

/** All that is needed to start a server. */
export interface Setup {
  binaries: Binaries
  location: DatabaseLocation
  dataFolder: string
  password: string | undefined
  log: (line: string) => void
  settings?: Readonly<Record<string, string>> | undefined
}

/** A server that answers. */
export interface RunningPostgres {
  server: Postmaster
  connection: Connection
  takenOver: boolean
}
