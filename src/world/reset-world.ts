import type { House } from '../api-kit/house.ts'
import { makeFirstWorld } from './first-world.ts'

const tables = `select string_agg(format('%I', tablename), ', ') as names from pg_tables
  where schemaname = current_schema() and tablename not in ('schema_migration', 'instance_fact', 'event_head', 'event_reader')`

/**
 * Empties the database and makes the first world again; its credentials stay what they were. Places in the log go on where
 * they were, for those who follow it would take smaller ones for old.
 */
export async function resetWorld(house: House): Promise<void> {
  const found = await house.database.query<{ names: string }>({ text: tables })
  const kind = await house.database.query<{ value: string }>({
    text: `delete from instance_fact where name <> 'key_fingerprint' returning name, value`,
  })
  await house.database.query({ text: `truncate ${found.rows[0]!.names} cascade` })
  house.clock.setOffset(0)
  await house.switchboard.tellAll('clock', 0)
  await forgetAll(house)
  const world =
    kind.rows.find((row) => (row as { name?: string }).name === 'first_world')?.value === 'empty' ? 'empty' : 'first'
  await makeFirstWorld(house, world)
  await forgetAll(house)
}

async function forgetAll(house: House): Promise<void> {
  house.parts.forgetAll()
  await house.switchboard.tellAll('forget-all', null)
}
