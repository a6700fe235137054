import type { Tx } from '../../storage/database.ts'
import type { Change, Loose } from '../kit/entity.ts'
import { recordHistory } from '../kit/history.ts'
import { deviceByValue, type OperatingSystem, platformOf } from '../targeting-options/device-options.ts'
import { criteriaOfLineItems } from './criteria-together.ts'
import { targetingCriteria } from './targeting-criterion.entity.ts'

const IDENTIFIERS: Record<string, OperatingSystem> = {
  platform_a_app_store_identifier: 'Platform_A',
  platform_b_app_store_identifier: 'Platform_B',
}

/** A line item that gets an app is shown where the app runs: adds the platform, unless it or a device of it is targeted. */
export async function addAppPlatforms(tx: Tx, changes: Change[]): Promise<void> {
  const wanted = changes.flatMap((item) =>
    item.kind === 'delete'
      ? []
      : Object.entries(IDENTIFIERS)
          .filter(([name]) => item.record[name] && item.record[name] !== item.before?.[name])
          .map(([, os]) => ({ change: item, platform: platformOf(os) })),
  )
  if (wanted.length === 0) return
  const lineItemIds = wanted.map(({ change }) => change.record.id as string)
  const known = new Set(
    (await criteriaOfLineItems.all(tx, lineItemIds, ['PLATFORM', 'DEVICE'])).map((row) => {
      const platform = row.targeting_type === 'PLATFORM' ? row.targeting_value : platformOfDevice(row.targeting_value)
      return `${row.line_item_id} ${platform}`
    }),
  )
  const made = wanted
    .filter(({ change, platform }) => !known.has(`${change.record.id} ${platform}`))
    .map(
      ({ change, platform }): Change => ({
        kind: 'create',
        record: criterionOf(change, platform),
        before: undefined,
        context: { ...change.context, isCreate: true, before: undefined },
      }),
    )
  if (made.length === 0) return
  await targetingCriteria.sql.insert(
    tx,
    made.map((item) => item.record),
  )
  await recordHistory(tx, targetingCriteria, made)
}

const platformOfDevice = (value: string): string => platformOf(deviceByValue.get(value)!.os)

const criterionOf = ({ record, context }: Change, platform: string): Loose => ({
  id: context.runtime.ids.next(),
  account_id: context.account.id,
  line_item_id: record.id,
  targeting_type: 'PLATFORM',
  targeting_value: platform,
  operator_type: 'EQ',
  value_id: null,
  created_at: context.now,
  updated_at: context.now,
  deleted: false,
})
