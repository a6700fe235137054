import { MACHINE_NUMBERS } from '../process/ids.ts'
import { keepTrying, pauseFor } from '../process/keep-trying.ts'
import type { Settings } from '../settings.ts'
import type { ConnectionOptions } from '../storage/database.ts'
import { untilEnd } from '../storage/leader.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { type OwnConnection, openOwnConnection } from '../storage/own-connection.ts'
import { StartError } from './start-error.ts'

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

/** On a database of its own a machine chooses freely; on a shared one the numbers are locks of a connection. */
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
  const connect = async () => {
    const broken = new AbortController()
    return { own: await openOwnConnection(connection, 'rostra process numbers', () => broken.abort()), broken }
  }
  const first = await connect()
  const numbers = await lockFree(first.own, count)
  if (numbers.length < count) {
    await first.own.close()
    throw new StartError('Too many processes use this database: there are no free process numbers left.')
  }

  // The locks end with the connection: they are taken again, before another machine does if possible.
  let next: typeof first | undefined = first
  let refusals = 0
  let isHeld = false
  const holding = keepTrying({
    attempt: async (stopping) => {
      isHeld = false
      const held = next
      next = undefined
      const { own, broken } = held ?? (await connect())
      try {
        if (!held && (await lockThese(own, numbers)) < numbers.length) {
          // A connection that broke does not say who has them.
          if (!own.isLost) refusals += 1
          if (refusals === MOST_TRIES)
            lose(new StartError('Another machine took the process numbers of this one while the database was away.'))
          return
        }
        refusals = 0
        isHeld = true
        await untilEnd(AbortSignal.any([stopping, broken.signal]))
      } finally {
        await own.close()
      }
    },
    // An outage is reported by whatever uses the database.
    failed: () => {},
    // At once after a loss.
    pause: (stopping) => pauseFor(isHeld ? 0 : TRY_MS, stopping),
  })
  return { of: (index) => numbers[index]!, lost, release: () => holding.stop() }
}

async function lockFree({ client }: OwnConnection, count: number): Promise<number[]> {
  const { rows } = await client.query<{ n: number }>(
    `select n from (select n, pg_try_advisory_lock($1::int, n) as taken from
       (select n from generate_series(0, $2::int - 1) n
         where n not in (
           select objid::bigint from pg_locks where locktype = 'advisory' and classid::bigint = $1::int and objsubid = 2 and granted
              and database = (select oid from pg_database where datname = current_database())
         ) limit $3::int) free) tried
     where taken`,
    [LOCK.machineNumber, MACHINE_NUMBERS, count],
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
