import type { TestServer } from './server.ts'

/** How many database sessions of the server wait for a lock. */
export async function waitingForLocks(server: TestServer): Promise<number> {
  const { rows } = await server.runtime.database.query<{ count: number }>({
    text: `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  })
  return rows[0]!.count
}
