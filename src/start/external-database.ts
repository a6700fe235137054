import pg from 'pg'

const OLDEST_POSTGRES = 150_000
const ANSWER_WITHIN_MS = 5_000

/** The version of the server that DATABASE_URL leads to, or a sentence about why it cannot be used. */
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
    // The address contains a password: only host and reason are shown.
    const host = URL.canParse(url) ? new URL(url).host : ''
    const reason = (error as Error).message || (error as { code?: string }).code
    return {
      fault: `The database of DATABASE_URL at ${host === '' ? 'its address' : host} cannot be reached: ${reason}. Check that the server is running and that user, password and database are correct.`,
    }
  } finally {
    await client?.end().catch(() => {})
  }
}
