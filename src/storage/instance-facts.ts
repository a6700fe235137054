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

// Facts about the whole installation, for which a table of their own would be too much.

/** A fact; undefined where it was never written. */
export const readFact = async (db: Db, name: string): Promise<string | undefined> =>
  (await factRead.first(db, name))?.value

export const writeFact = (db: Db, name: string, value: string): Promise<number> => factWrite.count(db, name, value)

/** Writes a fact that is not there yet; false where it is. */
export const keepFact = async (db: Db, name: string, value: string): Promise<boolean> =>
  (await factKeep.count(db, name, value)) > 0
