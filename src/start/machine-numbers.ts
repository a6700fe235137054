import pg from 'pg'
import type { Settings } from '../settings.ts'
import type { ConnectionOptions } from '../storage/database.ts'
import { LOCK } from '../storage/lock-numbers.ts'
import { StartError } from './start-error.ts'

const NUMBERS = 1_024

/** The numbers that keep the ids of this machine's processes apart from those of others on the same database. */
export interface MachineNumbers {
  /** The number of a process of this machine, counted from 0. */
  of(index: number): number
  release(): Promise<void>
}

/** On an own database the numbers are free to choose; on a shared one they are locks that live as long as the connection. */
export async function takeMachineNumbers(settings: Settings, connection: ConnectionOptions): Promise<MachineNumbers> {
  const wanted = settings.workers + 1
  if (settings.databaseUrl === '') return { of: (index) => index, release: async () => {} }
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query(
    `select n from (select n, pg_try_advisory_lock($1::int, n) as taken from
       (select n from generate_series(0, $2::int - 1) n
         where n not in (
           select objid::bigint from pg_locks where locktype = 'advisory' and classid::bigint = $1::int and objsubid = 2 and granted
         ) limit $3::int) free) tried
     where taken`,
    [LOCK.machineNumber, NUMBERS, wanted],
  )
  if (rows.length < wanted) {
    await client.end()
    throw new StartError('Too many processes work on this database: there are no free process numbers left.')
  }
  return { of: (index) => rows[index].n as number, release: () => client.end() }
}
