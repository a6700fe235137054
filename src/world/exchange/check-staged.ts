import { RESERVED_NAMES, USERNAME_PATTERN, usernameFault } from '../../identity/accounts/username-rules.ts'
import type { Tx } from '../../storage/database.ts'
import type { Kind } from './kind.ts'
import { kindOf } from './kinds.ts'
import { ExchangeError } from './manifest.ts'
import { stageOf } from './stage-rows.ts'

const MOST_SHOWN = 10

/** The column of the table that a column of the files is. */
const storedName = (kind: Kind, name: string): string =>
  kind.columns.find((column) => column.name === name)?.sql?.replace(/^t\./, '') ?? name

const sameKey = (kind: Kind): string => kind.key.map((name) => `t.${storedName(kind, name)} = s.${name}`).join(' and ')

/** Refuses an import whose rows exist already, and lists them. */
export async function refuseExisting(tx: Tx, kinds: readonly Kind[]): Promise<void> {
  const found: string[] = []
  for (const kind of kinds) {
    const key = kind.key.map((name) => `s.${name}::text`).join(` || ' ' || `)
    const { rows } = await tx.query<{ keys: string[] | null; count: number }>({
      text: `with found as materialized (select ${key} as key from ${stageOf(kind)} s where exists (select from ${kind.table} t where ${sameKey(kind)}))
        select (select array_agg(key) from (select key from found limit ${MOST_SHOWN}) f) as keys, count(*)::int as count from found`,
    })
    const { keys, count } = rows[0]!
    if (keys)
      found.push(`  ${kind.name}: ${keys.join(', ')}${count > keys.length ? ` and ${count - keys.length} more` : ''}`)
  }
  if (found.length > 0)
    throw new ExchangeError(
      `These rows exist already:\n${found.join('\n')}\nNothing was changed. Import into an empty world (\`rostra import <folder> --data-dir <new folder>\`), or keep what exists with --skip-existing.`,
    )
}

/** Removes staged rows that exist already. Returns how many. */
export async function skipExisting(tx: Tx, kind: Kind): Promise<number> {
  const { rowCount } = await tx.query({
    text: `delete from ${stageOf(kind)} s using ${kind.table} t where ${sameKey(kind)}`,
  })
  return rowCount ?? 0
}

/** Refuses rows that refer to what exists neither here nor in the import. */
export async function checkReferences(tx: Tx, kinds: readonly Kind[]): Promise<void> {
  const staged = new Set(kinds.map((kind) => kind.name))
  const found: string[] = []
  for (const kind of kinds)
    for (const { column, kind: name } of kind.references) {
      const referred = kindOf(name)!
      const to = referred.key[0]!
      const inStage = staged.has(name)
        ? ` and not exists (select from ${stageOf(referred)} r where r.${to} = s.${column})`
        : ''
      const { rows } = await tx.query<{ ids: string[] | null; count: number }>({
        text: `with missing as materialized (select distinct s.${column}::text as id from ${stageOf(kind)} s
            where s.${column} is not null and not exists (select from ${referred.table} t where t.${to} = s.${column})${inStage})
          select (select array_agg(id) from (select id from missing order by id limit ${MOST_SHOWN}) m) as ids, count(*)::int as count from missing`,
      })
      const { ids, count } = rows[0]!
      if (ids)
        found.push(
          `  ${kind.name}.${column}: no ${name} ${ids.join(', ')}${count > ids.length ? ` and ${count - ids.length} more` : ''}`,
        )
    }
  if (found.length > 0)
    throw new ExchangeError(
      `Rows refer to what exists neither here nor in the import:\n${found.join('\n')}\nNothing was changed. Export these kinds too, with --what.`,
    )
}

/** Refuses names that nobody can have, as registration does, and users whose name belongs to another user. */
export async function checkUsernames(tx: Tx): Promise<void> {
  const wrong = await tx.query<{ username: string }>({
    text: `select username from staged_users where username !~ $1 or lower(username) = any($2::text[]) order by 1 limit ${MOST_SHOWN}`,
    values: [USERNAME_PATTERN, [...RESERVED_NAMES]],
  })
  if (wrong.rows.length > 0)
    throw new ExchangeError(
      `These usernames cannot be used here:\n${wrong.rows.map(({ username }) => `  ${usernameFault(username)} (${username})`).join('\n')}\nNothing was changed.`,
    )
  const { rows } = await tx.query<{ username: string; id: string }>({
    text: `select s.username, t.id from staged_users s join user_account t on lower(t.username) = lower(s.username) and t.id <> s.id
        where not exists (select from staged_users r where r.id = t.id)
        order by 1 limit ${MOST_SHOWN}`,
  })
  if (rows.length > 0)
    throw new ExchangeError(
      `These usernames belong to other users here: ${rows.map((row) => `${row.username} (${row.id})`).join(', ')}. Nothing was changed.`,
    )
}
