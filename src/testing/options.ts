import type { Duration } from './types.ts'

// Published like types.ts.

/** Settings of a server. Those that are missing have the server's defaults. */
export interface ServerOptions {
  /** What a new database has: `first`, `empty`, or a world file. */
  world?: string
  /** `false` counts no requests. */
  rateLimits?: boolean
  /** `false` counts no returned objects. */
  usage?: boolean
  /** Refuses unknown advertising parameters. */
  strict?: boolean
  /** Fixes ids, times and tokens. */
  deterministic?: string | number
  /** API processes; 1 without it. */
  workers?: number
  /** Variables of the server's environment. Its own settings, PORT and DATABASE_URL are not taken over from yours. */
  env?: Record<string, string>
  /** More flags of `rostra start`. */
  flags?: readonly string[]
  /** How long a start may take; 120 s without it. */
  startTimeout?: Duration
}

export interface StartOptions extends ServerOptions {
  /** A free one without it. */
  port?: number
  host?: string
  /** A folder that is kept. Without it there is a temporary one, which is removed at the end. */
  dataDir?: string
  /** A PostgreSQL of your own. */
  databaseUrl?: string
  /** Gets the lines that the server logs. */
  onLog?: (line: string) => void
}

/** A running server: its data folder (default `./data`), or its address and admin key. */
export type ConnectOptions =
  | { dataDir?: string; url?: undefined; adminKey?: undefined }
  | { url: string; adminKey: string; dataDir?: undefined }
