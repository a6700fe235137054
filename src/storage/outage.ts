import { sqlState } from './database.ts'

/** Why the database cannot do what was asked, although nothing is wrong with the request. */
export type Outage = 'away' | 'full'

// No connection could be made, or it ended in the middle of something.
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
// The driver has no codes for these.
const DRIVER_WORDS =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection)/
// Connection failures, too many connections, shutdown, crash, start, a server that became read-only, and failures of its disk.
const AWAY_STATES = /^(08...|53[234]00|57P0[1-5]|25006|58030)$/
const DISK_FULL = '53100'

/** The outage that an error comes from; undefined for any other error. */
export function outageOf(error: unknown): Outage | undefined {
  const state = sqlState(error)
  if (state !== undefined) return state === DISK_FULL ? 'full' : AWAY_STATES.test(state) ? 'away' : undefined
  if (error instanceof AggregateError)
    return error.errors.some((item) => outageOf(item) === 'away') ? 'away' : undefined
  if (!(error instanceof Error)) return undefined
  const { code = '', syscall } = error as NodeJS.ErrnoException
  // A missing file has the same code as a missing socket.
  if (CONNECTION_CODES.has(code)) return code === 'ENOENT' && syscall !== 'connect' ? undefined : 'away'
  return DRIVER_WORDS.test(error.message) ? 'away' : undefined
}
