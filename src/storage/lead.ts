import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectionOptions } from './database.ts'
import { openOwnConnection } from './own-connection.ts'

const TRY_MS = 1_000

/** A place that one process of all machines has at a time. */
export interface Lead {
  stop(): Promise<void>
}

/**
 * Tries to lead, and runs `begin` whenever this process does; what `begin` returns is called when the lead ends. The lead
 * hangs on a connection of its own: a process that dies or loses it gives it up by itself.
 */
export function holdLead(options: {
  name: string
  lockKey: number
  connection: () => ConnectionOptions
  begin(): Promise<() => Promise<void>>
  failed(error: unknown): void
}): Lead {
  const stopping = new AbortController()
  const pause = () => sleep(TRY_MS, undefined, { signal: stopping.signal }).catch(() => {})

  const lead = async () => {
    let lost = () => {}
    const over = new Promise<void>((resolve) => {
      lost = resolve
      stopping.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    const own = await openOwnConnection(options.connection(), options.name, () => lost())
    try {
      for (;;) {
        const { rows } = await own.client.query('select pg_try_advisory_lock($1) as leads', [options.lockKey])
        if (rows[0].leads) break
        await pause()
        if (stopping.signal.aborted) return
      }
      const end = await options.begin()
      await over
      await end()
    } finally {
      await own.close()
    }
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        await lead()
      } catch (error) {
        if (!stopping.signal.aborted) options.failed(error)
      }
      if (!stopping.signal.aborted) await pause()
    }
  }
  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
