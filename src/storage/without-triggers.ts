import { type Database, openDatabase, sqlState } from './database.ts'

// The setting belongs to the connection: PostgreSQL forgets all plans of a connection when it changes.
const WITHOUT_TRIGGERS = '-c session_replication_role=replica'
const INSUFFICIENT_PRIVILEGE = '42501'

/** A connection on which triggers do not run and references are not checked: for rows whose references are known to hold. */
export const openWithoutTriggers = ({ connection }: Database, name: string): Database =>
  openDatabase(connection, { connections: 1, name, serverOptions: WITHOUT_TRIGGERS, staysOpen: true })

/** Only superusers may do without triggers, or whom they allowed it. */
export const isNotAllowed = (error: unknown): boolean => sqlState(error) === INSUFFICIENT_PRIVILEGE
