import { type Logger, pino } from 'pino'

export type { Logger }

/** The process log: JSON lines on standard error, since standard output is for the ready panel and --json. */
export function createLogger(level: string, role: string): Logger {
  return pino(
    { level, base: { role, pid: process.pid }, redact: ['authorization', 'password', 'secret', 'token'] },
    pino.destination({ fd: 2, sync: false }),
  )
}
