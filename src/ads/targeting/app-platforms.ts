import type { Tx } from '../../storage/database.ts'
import { lineItems } from '../campaigns/line-item.entity.ts'
import type { LineItemChange } from '../campaigns/line-item.fields.ts'
import { recordHistory } from '../kit/history.ts'
import { deviceByValue, type OperatingSystem, platformOf } from '../targeting-options/device-options.ts'
import { criteriaOfLineItems } from './criteria-together.ts'
import { targetingCriteria } from './targeting-criterion.entity.ts'
import type { CriterionDraft } from './targeting-criterion.fields.ts'

const IDENTIFIERS = {
  platform_a_app_store_identifier: 'Platform_A',
  platform_b_app_store_identifier: 'Platform_B',
} as const satisfies Record<string, OperatingSystem>
const IDENTIFIER_NAMES = Object.keys(IDENTIFIERS) as (keyof typeof IDENTIFIERS)[]

/** Targets the platform of each new app of a line item, unless the platform or one of its devices is already targeted. */
async function addAppPlatforms(tx: Tx, changes: LineItemChange[]): Promise<void> {
  const wanted = changes.flatMap((item) =>
    item.kind === 'delete'
      ? []
      : IDENTIFIER_NAMES.filter((name) => item.record[name] && item.record[name] !== item.before?.[name]).map(
          (name) => ({ change: item, platform: platformOf(IDENTIFIERS[name]) }),
        ),
  )
  if (wanted.length === 0) return
  const lineItemIds = wanted.map(({ change }) => change.record.id)
  const targeted = new Set(
    (await criteriaOfLineItems.all(tx, lineItemIds, ['PLATFORM', 'DEVICE'])).map((row) => {
      const platform = row.targeting_type === 'PLATFORM' ? row.targeting_value : platformOfDevice(row.targeting_value)
      return `${row.line_item_id} ${platform}`
    }),
  )
  const missing = wanted.filter(({ change, platform }) => !targeted.has(`${change.record.id} ${platform}`))
  if (missing.length === 0) return
  const criteria = missing.map(({ change, platform }) => criterionOf(change, platform))
  await targetingCriteria.sql.insert(tx, criteria)
  await recordHistory(
    tx,
    targetingCriteria,
    missing.map(({ change }, at) => ({
      kind: 'create',
      record: { ...criteria[at]!, record_name: null },
      before: undefined,
      context: change.context,
    })),
  )
}

lineItems.afterChange(addAppPlatforms)

const platformOfDevice = (value: string): string => platformOf(deviceByValue.get(value)!.os)

const criterionOf = (
  { record, context }: LineItemChange,
  platform: string,
): CriterionDraft & { account_id: string } => ({
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
