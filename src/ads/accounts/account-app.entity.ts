import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { lineItems } from '../campaigns/line-item.entity.ts'
import type { LineItemChange } from '../campaigns/line-item.fields.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { flag, oneOf, text } from '../kit/field.ts'

const STORES = [
  ['platform_a_app_store_identifier', 'Platform_A'],
  ['platform_b_app_store_identifier', 'Platform_B'],
] as const

const appsAdd = statement(
  'ads_account_apps_add',
  {},
  `insert into ads_account_app (id, account_id, app_store_identifier, os_type, created_at, updated_at)
   select a.id, $1, a.identifier, a.os_type, $5, $5 from unnest($2::bigint[], $3::text[], $4::text[]) as a (id, identifier, os_type)
   on conflict (account_id, os_type, app_store_identifier) do nothing`,
)

/** The mobile apps of an account: those that its line items promote. No operation creates one. */
export const accountApps = defineAdsEntity({
  name: 'account_app',
  plural: 'account_apps',
  tag: 'Account Apps',
  component: 'AccountApp',
  table: 'ads_account_app',
  counted: true,
  notFound: 'NOT_FOUND',
  fields: {
    app_store_identifier: text({ readOnly: true, always: true }),
    os_type: oneOf(['Platform_A', 'Platform_B'], { readOnly: true, always: true }),
    conversion_tracking_enabled: flag({ readOnly: true, always: true }),
    deep_link_pattern: text({ readOnly: true }),
  },
  sorts: ['created_at', 'updated_at', 'deleted', 'conversion_tracking_enabled'],
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  operations: { list: 'listAccountApps' },
})

/** Adds the apps that changed line items name to their account. Apps that it already has stay unchanged. */
async function addNamedApps(tx: Tx, changes: LineItemChange[]): Promise<void> {
  const apps = new Map<string, { identifier: string; osType: string }>()
  for (const { kind, record } of changes) {
    if (kind === 'delete') continue
    for (const [name, osType] of STORES) {
      const identifier = record[name]
      if (identifier) apps.set(`${osType} ${identifier}`, { identifier, osType })
    }
  }
  if (apps.size === 0) return
  const { runtime, account, now } = changes[0]!.context
  const added = [...apps.values()]
  await appsAdd.count(
    tx,
    account.id,
    added.map(() => runtime.ids.next()),
    added.map((app) => app.identifier),
    added.map((app) => app.osType),
    now,
  )
}

lineItems.afterChange(addNamedApps)
