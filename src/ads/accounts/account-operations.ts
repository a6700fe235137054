import { Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { statement } from '../../storage/statement.ts'
import { changeRecords } from '../kit/change-records.ts'
import { AdsProblem, notFound } from '../kit/errors.ts'
import { type AdsInput, defineAdsOperation, optional, required } from '../kit/operation.ts'
import { flagKind, listKind, oneOfKind, textKind, toBase36 } from '../kit/values.ts'
import { writeParams } from '../kit/write-params.ts'
import { accessOperations } from './access-operations.ts'
import { accounts, reachedAccounts } from './account.entity.ts'
import { accountApps } from './account-app.entity.ts'
import { accountHistoryOperations } from './account-history-operations.ts'
import { changeFeatures } from './change-features.ts'
import { createAccount } from './create-account.ts'
import { ADDABLE_FEATURES } from './features.data.ts'
import { promotableUsers } from './promotable-user.entity.ts'
import { taxSettingsOperations } from './tax-settings-operations.ts'
import { userSettingsOperations } from './user-settings-operations.ts'

const featuresOf = statement(
  'ads_account_features',
  { features: 'text[]' },
  'select features from ads_account where id = $1',
)

const accountReply = async (input: AdsInput<never, never>) => {
  const [record] = await accounts.sql.byIds(input.runtime.database, input.account.id, [input.account.id])
  if (!record) throw new AdsProblem([notFound('ACCOUNT_NOT_FOUND', 'account_id')])
  return accounts.toReply(record, input.runtime.clock.now())
}

const getAccount = defineAdsOperation({
  id: 'getAccount',
  route: 'GET /12/accounts/{account_id}',
  tag: 'Accounts',
  summary: 'Get an account',
  params: { with_deleted: optional(flagKind, { initial: false }) },
  data: accounts.schema,
  seesDeletedAccount: true,
  handle: async (input) => {
    if (input.account.deleted && !input.params.with_deleted)
      throw new AdsProblem([notFound('ACCOUNT_NOT_FOUND', 'account_id', toBase36(input.account.id))], { status: 404 })
    return { data: await accountReply(input as never) }
  },
})

const createSandboxAccount = defineAdsOperation({
  id: 'createSandboxAccount',
  route: 'POST /12/accounts',
  tag: 'Accounts',
  summary: 'Create a sandbox account',
  data: accounts.schema,
  sandboxOnly: true,
  handle: async (input) => {
    const draft = { ownerUserId: input.user.id, sandbox: true, name: 'Sandbox account' }
    const id = await change(input.runtime, (tx, invalidate) => createAccount(tx, invalidate, input.runtime, draft))
    const [record] = await accounts.sql.byIds(input.runtime.database, id, [id])
    // A list of one, as the platform answers it.
    return { data: [accounts.toReply(record!, input.runtime.clock.now())], next_cursor: null }
  },
})

const updateAccount = defineAdsOperation({
  id: 'updateAccount',
  route: 'PUT /12/accounts/{account_id}',
  tag: 'Accounts',
  summary: 'Change the name or industry of an account',
  params: writeParams(accounts, 'update'),
  data: accounts.schema,
  may: 'change settings',
  handle: async (input) => {
    const outcome = await changeAccount(input as never, 'update')
    if ('errors' in outcome) throw new AdsProblem(outcome.errors[0]!)
    return outcome
  },
})

const deleteSandboxAccount = defineAdsOperation({
  id: 'deleteSandboxAccount',
  route: 'DELETE /12/accounts/{account_id}',
  tag: 'Accounts',
  summary: 'Delete a sandbox account',
  data: accounts.schema,
  may: 'change settings',
  sandboxOnly: true,
  seesDeletedAccount: true,
  handle: async (input) => {
    const outcome = await changeAccount(input as never, 'delete')
    // Only one that is deleted already can not be deleted.
    if ('errors' in outcome) throw new AdsProblem(outcome.errors[0]!, { status: 404 })
    return outcome
  },
})

async function changeAccount(input: AdsInput<never, never>, kind: 'update' | 'delete') {
  const wish = { kind, id: input.account.id, given: input.params as Record<string, unknown> }
  const outcome = await changeRecords(accounts, input, [wish], (invalidate) =>
    invalidate('ads_account', input.account.id),
  )
  return 'errors' in outcome ? outcome : { data: accounts.toReply(outcome.records[0]!, input.runtime.clock.now()) }
}

const FeatureKeys = Type.Array(Type.String())

const listFeatures = defineAdsOperation({
  id: 'listFeatures',
  route: 'GET /12/accounts/{account_id}/features',
  tag: 'Features',
  summary: 'List the features of an account',
  params: {
    feature_keys: optional(
      listKind(textKind({ min: 1, max: 100, pattern: /^[A-Z0-9_]+$/, says: 'must be feature keys' })),
    ),
  },
  data: FeatureKeys,
  handle: async ({ params, runtime, account }) => {
    const { features } = (await featuresOf.first(runtime.database, account.id))!
    return { data: params.feature_keys ? features.filter((key) => params.feature_keys!.includes(key)) : features }
  },
})

const changedFeatures = (id: string, method: 'POST' | 'DELETE', summary: string) =>
  defineAdsOperation({
    id,
    route: `${method} /12/accounts/{account_id}/features`,
    tag: 'Features',
    summary,
    params: { feature_keys: required(listKind(oneOfKind(ADDABLE_FEATURES))) },
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
  ...reachedAccounts.all,
  createSandboxAccount,
  getAccount,
  updateAccount,
  deleteSandboxAccount,
  listFeatures,
  changedFeatures('addSandboxFeatures', 'POST', 'Add features to a sandbox account'),
  changedFeatures('removeSandboxFeatures', 'DELETE', 'Remove features from a sandbox account'),
  ...accountApps.all,
  ...accountHistoryOperations,
  ...accessOperations,
  ...promotableUsers.all,
  ...taxSettingsOperations,
  ...userSettingsOperations,
]
