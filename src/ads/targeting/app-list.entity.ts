import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import { statement } from '../../storage/statement.ts'
import { appStoreIdKind, isStoreNumber } from '../app-store-ids.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { type AdsError, invalidParameter } from '../kit/errors.ts'
import { idsFilter, listOf, text } from '../kit/field.ts'
import { idKind } from '../kit/values.ts'
import { OPERATING_SYSTEMS, type OperatingSystem } from '../targeting-options/device-options.ts'

const LISTS_OF_ACCOUNT = 100
const APPS_OF_LIST = 500

/** The system of an identifier: numbers belong to platform B, package names to platform A. */
const systemOf = (identifier: string): OperatingSystem => (isStoreNumber(identifier) ? 'Platform_B' : 'Platform_A')

const listCount = statement(
  'ads_app_list_count',
  { total: 'int8' },
  'select count(*) as total from ads_app_list where account_id = $1 and not deleted',
)

const AppListSummary = component('AppListSummary', Type.Object({ id: idKind.schema, name: Type.String() }))

/** A list of apps whose users a line item excludes. */
export const appLists = defineAdsEntity({
  name: 'app_list',
  plural: 'app_lists',
  tag: 'App Lists',
  component: 'AppList',
  table: 'ads_app_list',
  counted: true,
  notFound: 'NOT_FOUND',
  fields: {
    name: text({ required: true, min: 1, max: 255 }),
    app_store_identifiers: listOf(appStoreIdKind, { required: true, max: APPS_OF_LIST, hidden: true }),
  },
  shown: {
    apps: {
      schema: Type.Array(Type.Object({ app_store_identifier: Type.String(), os_type: words(OPERATING_SYSTEMS) })),
      show: ({ app_store_identifiers: identifiers }) =>
        identifiers.map((id) => ({ app_store_identifier: id, os_type: systemOf(id) })),
    },
  },
  filters: { app_list_ids: idsFilter('r.id') },
  sorts: ['created_at', 'updated_at', 'deleted', 'name'],
  may: { see: 'see campaigns', manage: 'manage campaigns' },
  operations: {
    list: { id: 'listAppLists', data: AppListSummary },
    get: 'getAppList',
    create: 'createAppList',
    delete: 'deleteAppList',
  },
  derive: (draft) => {
    draft.app_store_identifiers = [...new Set(draft.app_store_identifiers)]
  },
  checkAll: async (tx, changes) => {
    const created = changes.filter((item) => item.kind === 'create')
    if (created.length === 0) return []
    let remaining = LISTS_OF_ACCOUNT - Number((await listCount.first(tx, created[0]!.context.account.id))!.total)
    return changes.map((item): AdsError[] => {
      if (item.kind !== 'create') return []
      remaining -= 1
      return remaining >= 0 ? [] : [invalidParameter('name', `an account has at most ${LISTS_OF_ACCOUNT} app lists`)]
    })
  },
})
