import type { Invalidate } from '../../api-kit/runtime.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const featuresChange = statement(
  'ads_account_features_change',
  { features: 'text[]' },
  `update ads_account set updated_at = $4,
     features = (select coalesce(array_agg(distinct f order by f), '{}') from unnest(features || $2::text[]) as f where f <> all($3::text[]))
    where id = $1 returning features`,
)

/** Adds and removes features of an account; returns the features that it then has. */
export async function changeFeatures(
  tx: Tx,
  invalidate: Invalidate,
  accountId: string,
  change: { add: readonly string[]; remove: readonly string[]; now: Date },
): Promise<string[]> {
  invalidate('ads_account', accountId)
  return (await featuresChange.first(tx, accountId, [...change.add], [...change.remove], change.now))!.features
}
