import type { Runtime } from '../api-kit/runtime.ts'
import { forgetUsage } from '../identity/usage/usage-meter.ts'
import { makeFirstSlice } from '../search/slices/begin-slice.ts'
import { repeatingDeadlock, type Tx, transaction } from '../storage/database.ts'
import { makeFirstWorld } from './first-world.ts'
import { claimWorld } from './world-lock.ts'

const tables = `select string_agg(format('%I', tablename), ', ') as names from pg_tables
  where schemaname = current_schema() and tablename not in ('schema_migration', 'instance_fact', 'event_head', 'event_reader', 'oauth1_nonce')`

/**
 * Empties the database and makes the first world again; its credentials stay the same. Sequences in the event log continue,
 * because readers would skip smaller ones as old. Nonces stay too: a signed request must not work a second time.
 */
export async function resetWorld(runtime: Runtime): Promise<void> {
  const world = await repeatingDeadlock(() => transaction(runtime.database, emptyTables))
  runtime.clock.setOffset(0)
  await runtime.bus.sendAll('clock', 0)
  await invalidateAll(runtime)
  await forgetUsage(runtime)
  await makeFirstWorld(runtime, world)
  await invalidateAll(runtime)
}

/** Returns which first world the database was made with. */
async function emptyTables(tx: Tx): Promise<'first' | 'empty'> {
  await claimWorld(tx)
  const found = await tx.query<{ names: string }>({ text: tables })
  const facts = await tx.query<{ name: string; value: string }>({
    text: `delete from instance_fact where name not in ('key_fingerprint', 'base_url') returning name, value`,
  })
  await tx.query({ text: `truncate ${found.rows[0]!.names} cascade` })
  await makeFirstSlice(tx)
  return facts.rows.find((fact) => fact.name === 'first_world')?.value === 'empty' ? 'empty' : 'first'
}

/** Empties the caches of all processes. */
export async function invalidateAll(runtime: Runtime): Promise<void> {
  runtime.parts.invalidateAll()
  await runtime.bus.sendAll('invalidate-all', null)
}
