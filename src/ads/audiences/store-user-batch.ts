import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { UserBatch } from './read-user-batch.ts'
import { settleBatch } from './settle-batch.ts'

// Hashes come as one value with 32 bytes for each key: an array of them would be spelled out, read and escaped one by one.
const HASH = 'substring($3::bytea from (s.n::int - 1) * 32 + 1 for 32)'

// Rows by their place and members by an array: with joins, PostgreSQL goes through all pairs while it does not know yet how much was
// stored. The batch is alone, so that the places stay.
const keysDelete = statement(
  'ads_audience_keys_delete',
  {},
  `with named as materialized (
     select k.ctid as place, k.member from unnest($2::smallint[]) with ordinality as s (kind, n)
       join ads_audience_key k on k.audience_id = $1 and k.kind = s.kind and k.hash = ${HASH}
   ), alone as (
     delete from ads_audience_key where ctid = any (array(select place from named where member = 0)) returning 1
   ), joined as (
     delete from ads_audience_key where audience_id = $1 and member <> 0
        and member = any (array(select distinct member from named where member <> 0)) returning 1
   )
   select from alone union all select from joined`,
)
// In the order of the index, which is kinder to it and keeps two batches from waiting for each other in a circle.
const keysKeep = statement(
  'ads_audience_keys_keep',
  {},
  `insert into ads_audience_key as k (audience_id, kind, hash, member, effective_at, expires_at)
   select $1, s.kind, ${HASH} as hash, s.member, ($6::timestamptz[])[s.operation + 1], ($7::timestamptz[])[s.operation + 1]
     from unnest($2::smallint[], $4::bigint[], $5::int[]) with ordinality as s (kind, member, operation, n)
    order by s.kind, hash, s.member
   on conflict (audience_id, kind, hash, member) do update set effective_at = excluded.effective_at, expires_at = excluded.expires_at
    where (k.effective_at, k.expires_at) is distinct from (excluded.effective_at, excluded.expires_at)`,
)

/** Stores what a batch comes to with two statements at most; says whether anything changed. */
export async function storeUserBatch(tx: Tx, audienceId: string, batch: UserBatch): Promise<boolean> {
  const { deleted, kept, members, operations } = settleBatch(batch)
  const { keys } = batch
  const kindsOf = (numbers: number[]) => numbers.map((key) => keys.kinds[key]!)
  let touched = 0
  if (deleted.length > 0) touched += await keysDelete.count(tx, audienceId, kindsOf(deleted), keys.hashesOf(deleted))
  if (kept.length > 0)
    touched += await keysKeep.count(
      tx,
      audienceId,
      kindsOf(kept),
      keys.hashesOf(kept),
      members,
      operations,
      batch.operations.map((operation) => operation.effectiveAt.toISOString()),
      batch.operations.map((operation) => operation.expiresAt.toISOString()),
    )
  return touched > 0
}

/** Batches that only put people in are stored side by side; one that takes people out is stored alone. */
export const isStoredAlone = (batch: UserBatch): boolean => batch.operations.some((operation) => operation.isDelete)
