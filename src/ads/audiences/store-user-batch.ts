import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { UserBatch } from './read-user-batch.ts'
import { settleBatch } from './settle-batch.ts'

// Hashes are sent as one value with 32 bytes for each key: the elements of an array would each be written as text and parsed.
const HASH = 'substring($3::bytea from (s.n::int - 1) * 32 + 1 for 32)'

// Rows are named by ctid and members by an array: with joins, PostgreSQL chooses nested loops before it has statistics about the
// stored rows. The audience is locked exclusively, so each ctid stays valid.
const keysDelete = statement(
  'ads_audience_keys_delete',
  {},
  `with named as materialized (
     select k.ctid as row_address, k.member from unnest($2::smallint[]) with ordinality as s (kind, n)
       join ads_audience_key k on k.audience_id = $1 and k.kind = s.kind and k.hash = ${HASH}
   ), single as (
     delete from ads_audience_key where ctid = any (array(select row_address from named where member = 0)) returning 1
   ), joined as (
     delete from ads_audience_key where audience_id = $1 and member <> 0
        and member = any (array(select distinct member from named where member <> 0)) returning 1
   )
   select from single union all select from joined`,
)
// In the order of the index, which is faster and prevents deadlocks between two batches.
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

/** Stores the result of a batch with at most two statements; returns whether anything changed. */
export async function storeUserBatch(tx: Tx, audienceId: string, batch: UserBatch): Promise<boolean> {
  const { deleted, kept, members, operations } = settleBatch(batch)
  const { keys } = batch
  const kindsOf = (numbers: number[]) => numbers.map((key) => keys.kinds[key]!)
  let changed = 0
  if (deleted.length > 0) changed += await keysDelete.count(tx, audienceId, kindsOf(deleted), keys.hashesOf(deleted))
  if (kept.length > 0)
    changed += await keysKeep.count(
      tx,
      audienceId,
      kindsOf(kept),
      keys.hashesOf(kept),
      members,
      operations,
      batch.operations.map((operation) => operation.effectiveAt.toISOString()),
      batch.operations.map((operation) => operation.expiresAt.toISOString()),
    )
  return changed > 0
}

/** Batches that only add users may be stored at the same time; one that removes users needs the list for itself. */
export const needsExclusiveLock = (batch: UserBatch): boolean =>
  batch.operations.some((operation) => operation.isDelete)
