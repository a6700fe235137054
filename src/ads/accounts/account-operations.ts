import { Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { statement } from '../../storage/statement.ts'
import { defineAdsOperation, optional, required } from '../kit/operation.ts'
import { listKind, oneOfKind, textKind } from '../kit/values.ts'
import { accessOperations } from './access-operations.ts'
import { accounts, reachedAccounts } from './account.entity.ts'
import { accountApps } from './account-app.entity.ts'
import { accountHistoryOperations } from './account-history-operations.ts'
import { changeFeatures } from './change-features.ts'
import { FEATURES } from './features.data.ts'
import { promotableUsers } from './promotable-user.entity.ts'
import { taxSettingsOperations } from './tax-settings-operations.ts'
import { userSettingsOperations } from './user-settings-operations.ts'

const featuresOf = statement(
  'ads_account_features',
  { features: 'text[]' },
  'select features from ads_account where id = $1',
)

const FeatureKeys = Type.Array(Type.String())

const listFeatures = defineAdsOperation({
  id: 'listFeatures',
  route: 'GET /12/accounts/{account_id}/features',
  tag: 'Features',
  summary: 'List the features of an account',
  params: {
    feature_keys: optional(
      listKind(textKind({ min: 1, max: 100, pattern: /^[A-Z0-9_]+$/, says: 'must be a feature key' })),
    ),
  },
  data: FeatureKeys,
  handle: async ({ params, runtime, account }) => {
    const { features } = (await featuresOf.first(runtime.database, account.id))!
    return { data: params.feature_keys ? features.filter((key) => params.feature_keys!.includes(key)) : features }
  },
})

const featureChange = (id: string, method: 'POST' | 'DELETE', summary: string) =>
  defineAdsOperation({
    id,
    route: `${method} /12/accounts/{account_id}/features`,
    tag: 'Features',
    summary,
    params: { feature_keys: required(listKind(oneOfKind(FEATURES))) },
    data: FeatureKeys,
    may: 'change settings',
    sandboxOnly: true,
    handle: async ({ params, runtime, account }) => {
      const [add, remove] = method === 'POST' ? [params.feature_keys, []] : [[], params.feature_keys]
      const now = new Date(runtime.clock.now())
      return {
        data: await change(runtime, (tx, invalidate) =>
          changeFeatures(tx, invalidate, account.id, { add, remove, now }),
        ),
      }
    },
  })

export const accountOperations = [
  ...reachedAccounts.operations,
  ...accounts.operations,
  listFeatures,
  featureChange('addSandboxFeatures', 'POST', 'Add features to a sandbox account'),
  featureChange('removeSandboxFeatures', 'DELETE', 'Remove features from a sandbox account'),
  ...accountApps.operations,
  ...accountHistoryOperations,
  ...accessOperations,
  ...promotableUsers.operations,
  ...taxSettingsOperations,
  ...userSettingsOperations,
]
