import { type Logger, pino } from 'pino'

/** A line of the log. */
interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error'
  msg: string
  err?: { message: string }
  [member: string]: unknown
}

/** A log that keeps its lines. */
export function recordedLog(): { log: Logger; lines: LogLine[]; texts(): string[] } {
  const lines: LogLine[] = []
  const log = pino(
    { level: 'debug', base: null, timestamp: false, formatters: { level: (level) => ({ level }) } },
    { write: (line: string) => lines.push(JSON.parse(line) as LogLine) },
  )
  return { log, lines, texts: () => lines.map(({ level, msg }) => `${level} ${msg}`) }
}
