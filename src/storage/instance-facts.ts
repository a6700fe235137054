import type { Db } from './database.ts'
import { statement } from './statement.ts'

const factRead = statement('instance_fact_read', { value: 'text' }, 'select value from instance_fact where name = $1')
const factWrite = statement(
  'instance_fact_write',
  {},
  'insert into instance_fact (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
)
const factKeep = statement(
  'instance_fact_keep',
  {},
  'insert into instance_fact (name, value) values ($1, $2) on conflict (name) do nothing',
)

// Facts about the whole installation that do not need tables of their own.

/** A fact; undefined if it was never written. */
export const readFact = async (db: Db, name: string): Promise<string | undefined> =>
  (await factRead.first(db, name))?.value

export const writeFact = (db: Db, name: string, value: string): Promise<number> => factWrite.count(db, name, value)

/** Writes a fact that does not exist yet; false if it exists. */
export const keepFact = async (db: Db, name: string, value: string): Promise<boolean> =>
  (await factKeep.count(db, name, value)) > 0
