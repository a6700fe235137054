import { type Database, type Tx, transaction } from '../../src/storage/database.ts'
import { seedWorld } from '../../src/world/seed-world.ts'

const POSTS = 100_000
const USERS = 6_000
const FOLLOWS = 60_000
/** Rows that every other table gets which has one at all. */
const ROWS = 10_000
/** Those of them that belong to whoever the copied row belongs to; the others belong to others. */
const OWN_ROWS = 2_000

/** Fills the world with seeded users, follows and posts, the last of them at `untilMs`. */
export async function seedLarge(database: Database, untilMs: number): Promise<void> {
  const order = { seed: 1, users: USERS, posts: POSTS, follows: FOLLOWS, untilMs }
  await seedWorld(database, order, { progress: () => {}, stopped: () => false }, { anyMoment: false })
}

/** Makes a user one of many followers, posts and mentions. */
export async function makeBusy(database: Database, userId: string): Promise<void> {
  const others = `(select id, row_number() over (order by id) as number from user_account where username like 'seed1\\_%')`
  const posts = `(select id, row_number() over (order by id) as number from post where reposted_post_id is null)`
  await transaction(database, async (tx) => {
    const run = (text: string) => tx.query({ text, values: [userId, OWN_ROWS] })
    await run(`insert into follow (source_id, target_id, id)
               select $1::bigint, id, id + 1 from ${others} o where number <= $2::int on conflict do nothing`)
    await run(`insert into follow (source_id, target_id, id)
               select id, $1::bigint, id + 2 from ${others} o where number <= $2::int on conflict do nothing`)
    await run(
      `update post set author_id = $1::bigint from ${posts} o where o.id = post.id and o.number % 50 = 0 and $2::int > 0`,
    )
    await run(
      `update post_terms t set author_id = p.author_id from post p where p.id = t.id and p.author_id = $1::bigint and $2::int > 0`,
    )
    await run(`insert into post_mention (user_id, post_id)
               select $1::bigint, id from ${posts} o where number % 40 = 0 and $2::int > 0 on conflict do nothing`)
  })
}

/** Tables that stay small however much a server is used. */
const SMALL = new Set([
  'schema_migration',
  'instance_fact',
  'search_slice',
  'search_coarse',
  'search_change',
  'search_count',
  'search_pairs',
  'event_head',
  'event_reader',
  'place',
  'rate_counter',
  'stream_connection',
])

/** An app, a project and a developer have few of each thing: limits would refuse what the examples do. */
const LIMITED_OWNERS = new Set(['app_id', 'project_id', 'developer_account_id'])
const OWNERS = new Set(['account_id', 'user_id', 'owner_id', 'owner_user_id', 'source_id'])
/** The same limits for an advertising account, and for what a user can have of each thing. */
const LIMITED: Record<string, number> = {
  ads_campaign: 50,
  ads_app_list: 20,
  ads_stats_job: 50,
  article: 500,
  bookmark_folder: 500,
  chat_group_reservation: 500,
  chat_public_key: 100,
  list: 500,
  list_pin: 0,
}

interface Column {
  name: string
  type: string
  /** It is in a unique index, and any value may be in it. */
  is_unique: boolean
  /** The table whose id it has. */
  refers_to: string | null
}

/** Copies the rows of every table that has some until there are 10,000, with other ids. */
export async function multiplyRows(database: Database): Promise<void> {
  await transaction(database, async (tx) => {
    // Copies do not bring copies of all that they refer to.
    await tx.query({ text: 'set local session_replication_role = replica' })
    await tx.query({
      text: `create temp table numbered_post on commit drop as
             select id, row_number() over (order by id) as number from post where reposted_post_id is null`,
    })
    const tables = await tx.query<{ name: string; columns: Column[] }>({ text: TABLES })
    for (const { name, columns } of tables.rows) if (!SMALL.has(name)) await multiplyTable(tx, name, columns)
  })
  // Every row is looked at, so two runs get the same plans.
  await database.query({ text: 'set default_statistics_target = 400; analyze' })
}

async function multiplyTable(tx: Tx, name: string, columns: Column[]): Promise<void> {
  const { rows } = await tx.query<{ size: number }>({ text: `select count(*)::int as size from ${name}` })
  const size = rows[0]!.size
  if (size === 0 || size >= ROWS / 2) return
  const names = columns.map((column) => `"${column.name}"`).join(', ')
  const values = columns.map((column) => copiedValue(column, LIMITED[name] ?? OWN_ROWS)).join(', ')
  const samples = Math.min(size, 20)
  await tx.query({
    text: `insert into ${name} (${names}) overriding system value
           select ${values}
             from (select *, row_number() over () as sample from ${name} limit ${samples}) s,
                  generate_series(1, ${Math.ceil(ROWS / samples)}) g,
                  lateral (select (g - 1) * ${samples} + s.sample as n) c join numbered_post o on o.number = c.n
               on conflict do nothing`,
  })
}

function copiedValue({ name, type, is_unique: isUnique, refers_to: target }: Column, ownRows: number): string {
  const own = `s."${name}"`
  if (LIMITED_OWNERS.has(name) && type === 'bigint') return `${own} - n`
  if (OWNERS.has(name) && type === 'bigint') return `case when n > ${ownRows} then ${own} - n else ${own} end`
  if (target === 'post') return `case when ${own} is null then null else o.id end`
  if (isUnique) {
    if (type === 'bigint') return `${own} - n`
    if (type === 'text') return `${own} || '-' || n`
    if (type === 'bytea') return `sha256(${own} || int4send(n::int))`
  }
  if (!target?.startsWith('ads_') || type !== 'bigint') return own
  // The newest of the referenced rows are those of the same owner.
  const parents = `select array_agg(id) from (select id from ${target} order by id desc limit ${LIMITED[target] ?? OWN_ROWS}) t`
  return `case when ${own} is null then null else (${parents})[1 + n % (select least(count(*), ${LIMITED[target] ?? OWN_ROWS}) from ${target})] end`
}

const TABLES = `
  select c.relname as name,
         jsonb_agg(jsonb_build_object(
           'name', a.attname, 'type', format_type(a.atttypid, null),
           'is_unique', exists (select from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = any(i.indkey))
             and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any(k.conkey)),
           'refers_to', (select k.confrelid::regclass::text from pg_constraint k
                           join pg_attribute f on f.attrelid = k.confrelid and f.attnum = k.confkey[1] and f.attname = 'id'
                          where k.conrelid = c.oid and k.contype = 'f' and k.conkey = array[a.attnum] limit 1)
         ) order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   group by c.oid order by c.oid`
