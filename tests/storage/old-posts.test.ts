import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'

// Search had its terms in the table of posts before this migration.
const FIRST_WITH_SLICES = '0023'
const FOLDER = 'src/storage/migrations'
const NAME = `rostra_old_posts_${process.pid}`
const POSTS = 20_000

const connection = { ...inject('connection'), database: NAME, ssl: false as const }
let client: pg.Client

async function onServer(sql: string): Promise<void> {
  const admin = new pg.Client({ ...inject('connection'), database: 'postgres', ssl: false })
  await admin.connect()
  await admin.query(sql)
  await admin.end()
}

beforeAll(async () => {
  await onServer(`create database ${NAME}`)
  client = new pg.Client(connection)
  await client.connect()
  await client.query(
    'create table schema_migration (name text primary key, digest text not null, applied_at timestamptz not null)',
  )
  const old = readdirSync(FOLDER).sort()
  for (const name of old.slice(
    0,
    old.findIndex((file) => file.startsWith(FIRST_WITH_SLICES)),
  )) {
    const sql = readFileSync(`${FOLDER}/${name}`, 'utf8')
    await client.query(sql)
    const digest = createHash('sha256').update(sql).digest('hex')
    await client.query('insert into schema_migration values ($1, $2, now())', [name, digest])
  }
  await client.query(`
    insert into user_account (id, username, name, created_at)
      values (1, 'old_hand', 'Old Hand', now()), (2, 'many', 'Many', now());
    insert into user_metrics (user_id, followers_count) values (1, 3), (2, 0);
    insert into post (id, author_id, text, display_end, lang, conversation_id, first_version_id, superseded, in_reply_to_post_id, search)
      select n * 10, 1 + n % 2, 'w', 1, 'en', n * 10, n * 10, n % 100 = 0, case when n % 7 = 0 then 10 end,
             array_to_tsvector(array['word' || n % 50])
        from generate_series(1, ${POSTS}) n`)
})
afterAll(async () => {
  await client.end()
  await onServer(`drop database ${NAME} with (force)`)
})

const one = async (sql: string): Promise<unknown> => (await client.query(sql)).rows[0].n

test('posts and users of an older version are found by the terms of their slices', async () => {
  const database = openDatabase(connection as never, { connections: 2, name: 'tests' })
  try {
    expect(await migrate(database)).toContain('0023-search-slices.sql')
  } finally {
    await database.close()
  }
  // Versions that were superseded have no terms.
  expect(await one('select count(*)::int as n from post_terms')).toBe(POSTS - POSTS / 100)
  const gaps = `select count(*)::int as n from (
    select first_id, lag(last_id) over (order by first_id) + 1 as expected from search_slice) s where first_id <> expected`
  expect(await one('select count(*)::int as n from search_slice')).toBe(Math.ceil(POSTS / 8192))
  expect(await one(gaps)).toBe(0)
  const misplaced = `select count(*)::int as n from post_terms t join search_slice s on t.id between s.first_id and s.last_id
    where not t.terms @@ ('''~f' || s.no || ''' & ''~c' || s.coarse || '''')::tsquery`
  expect(await one(misplaced)).toBe(0)
  const replies = POSTS / 50 / 7
  const found = await one(`select count(*)::int as n from post_terms where terms @@ 'word3 & ''is:reply'''::tsquery`)
  expect(Math.abs(Number(found) - replies)).toBeLessThanOrEqual(1)
  // Three followers are the second octave.
  expect(await one(`select id::int as n from user_terms where terms @@ '''^old'' & hand & ''~o2'''::tsquery`)).toBe(1)
})
