import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../settings.ts'
import type { ConnectionOptions } from '../storage/database.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { type OwnConnection, openOwnConnection } from '../storage/own-connection.ts'
import { StartError } from './start-error.ts'

const NUMBERS = 1_024
const TRY_MS = 1_000
// Longer than a database takes to notice that the connection which held them is gone.
const MOST_TRIES = 60

/** The numbers that keep the ids of this machine's processes apart from those of others on the same database. */
interface MachineNumbers {
  /** The number of a process of this machine, counted from 0. */
  of(index: number): number
  /** Resolves with the reason when another machine took them while the database was away. */
  lost: Promise<Error>
  release(): Promise<void>
}

const never = new Promise<never>(() => {})

/** On an own database the numbers are free to choose; on a shared one they are locks that live as long as the connection. */
export async function takeMachineNumbers(
  settings: Settings,
  connection: ConnectionOptions,
  count: number,
): Promise<MachineNumbers> {
  if (settings.databaseUrl === '') return { of: (index) => index, lost: never, release: async () => {} }
  let lose: (reason: Error) => void
  const lost = new Promise<Error>((resolve) => {
    lose = resolve
  })
  const stopping = new AbortController()
  let holding: Promise<void> = Promise.resolve()
  let own: OwnConnection
  const open = async (): Promise<OwnConnection> => {
    const made: OwnConnection = await openOwnConnection(connection, 'rostra process numbers', () => {
      // One that broke before it held them is tried again by who made it.
      if (made === own) holding = hold()
    })
    return made
  }

  // The locks ended with the connection: they are taken again before another machine does.
  const hold = async () => {
    for (let refused = 0; !stopping.signal.aborted; ) {
      const again = await open().catch(() => undefined)
      if (again) {
        const locked = await lockThese(again, numbers).catch(() => 0)
        if (locked === numbers.length && !again.isLost) {
          own = again
          return
        }
        // A connection that broke says nothing about who has them.
        if (!again.isLost) refused += 1
        await again.close()
        if (refused === MOST_TRIES)
          return lose(new StartError('The process numbers of this machine were taken while the database was away.'))
      }
      await sleep(TRY_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const first = await open()
  const numbers = await lockFree(first, count)
  if (numbers.length < count) {
    await first.close()
    throw new StartError('Too many processes work on this database: there are no free process numbers left.')
  }
  own = first
  return {
    of: (index) => numbers[index]!,
    lost,
    release: async () => {
      stopping.abort()
      await holding
      await own.close()
    },
  }
}

async function lockFree({ client }: OwnConnection, count: number): Promise<number[]> {
  const { rows } = await client.query<{ n: number }>(
    `select n from (select n, pg_try_advisory_lock($1::int, n) as taken from
       (select n from generate_series(0, $2::int - 1) n
         where n not in (
           select objid::bigint from pg_locks where locktype = 'advisory' and classid::bigint = $1::int and objsubid = 2 and granted
         ) limit $3::int) free) tried
     where taken`,
    [LOCK.machineNumber, NUMBERS, count],
  )
  return rows.map((row) => row.n)
}

async function lockThese({ client }: OwnConnection, numbers: readonly number[]): Promise<number> {
  const { rows } = await client.query(
    'select from (select pg_try_advisory_lock($1::int, n) as taken from unnest($2::int[]) n) tried where taken',
    [LOCK.machineNumber, numbers],
  )
  return rows.length
}
