import pg from 'pg'

const OLDEST_POSTGRES = 150_000
const ANSWER_WITHIN_MS = 5_000

/** The version of the server that DATABASE_URL leads to, or in a sentence why it can not be used. */
export async function lookAtExternal(url: string): Promise<{ version: string } | { fault: string }> {
  let client: pg.Client | undefined
  try {
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_WITHIN_MS })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query<{ number: number; name: string; may_create: boolean }>(
      `select current_setting('server_version_num')::int as number, current_setting('server_version') as name,
              coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as may_create`,
    )
    const { number, name, may_create } = rows[0]!
    if (number < OLDEST_POSTGRES)
      return { fault: `DATABASE_URL leads to PostgreSQL ${name}, but Rostra needs 15 or newer.` }
    if (!may_create)
      return {
        fault: `The user of DATABASE_URL may not create tables in its database. Grant CREATE on the schema to it.`,
      }
    return { version: name }
  } catch (error) {
    // The address holds a password: only host and reason are told.
    const host = URL.canParse(url) ? new URL(url).host : ''
    const reason = (error as Error).message || (error as { code?: string }).code
    return {
      fault: `The database of DATABASE_URL at ${host === '' ? 'its address' : host} can not be reached: ${reason}. Check that the server runs and that name, password and database are right.`,
    }
  } finally {
    await client?.end().catch(() => {})
  }
}
