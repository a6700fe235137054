import { change } from '../../api-kit/runtime.ts'
import { changeRecords } from '../kit/change-records.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import type { RecordChange } from '../kit/entity.ts'
import { type AdsError, AdsProblem, notFound } from '../kit/errors.ts'
import { field, idsFilter, oneOf, text, time } from '../kit/field.ts'
import { lockAccount } from '../kit/lock.ts'
import type { AdsAnswer, AdsInput } from '../kit/operation.ts'
import { idKind, toBase36 } from '../kit/values.ts'
import { createAccount } from './create-account.ts'

const INDUSTRIES = [
  'AGENCY',
  'BUSINESS_TO_BUSINESS',
  'ONLINE_SERVICES',
  'EDUCATION',
  'FINANCIAL',
  'HEALTH',
  'GOVERNMENT',
  'MEDIA',
  'MOBILE',
  'RESTAURANT',
  'RETAIL',
  'TECHNOLOGY',
  'TRAVEL',
  'OTHER',
] as const

const fields = {
  name: text({ min: 1, max: 255, always: true }),
  business_name: text({ readOnly: true }),
  business_id: field(idKind, { readOnly: true }),
  timezone: text({ readOnly: true, always: true }),
  timezone_switch_at: time({ readOnly: true }),
  industry_type: oneOf(INDUSTRIES),
  approval_status: oneOf(['ACCEPTED', 'UNDER_REVIEW', 'REJECTED'], { readOnly: true, always: true }),
}

const shared = {
  name: 'account',
  plural: 'accounts',
  tag: 'Accounts',
  component: 'Account',
  notFound: 'ACCOUNT_NOT_FOUND',
  path: '/12/accounts',
  fields,
  may: { see: 'see the account', manage: 'change settings' },
} as const

/** The accounts that the caller has access to, in the environment of the request. */
export const reachedAccounts = defineAdsEntity({
  ...shared,
  table: 'ads_account_reach',
  isView: true,
  scope: { column: 'user_id', owner: (input) => input.user.id, lock: async () => {} },
  narrow: (input) => [
    { name: 'sandbox', sql: (placeholder) => `r.sandbox = ${placeholder}::bool`, value: input.sandbox },
  ],
  filters: { account_ids: idsFilter('r.id') },
  named: 'name',
  sorts: ['created_at', 'updated_at', 'deleted', 'name'],
  readLimit: 'account reads',
  operations: { list: 'listAccounts' },
})

/** The account of the path, as a record. */
export const accounts = defineAdsEntity({
  ...shared,
  table: 'ads_account',
  scope: {
    column: 'id',
    owner: (input) => input.account.id,
    lock: lockAccount,
  },
  operations: {
    get: { id: 'getAccount', seesDeletedAccount: true, handle: getAccount },
    create: {
      id: 'createSandboxAccount',
      summary: 'Create a sandbox account',
      params: {},
      envelope: 'list',
      sandboxOnly: true,
      handle: createSandboxAccount,
    },
    update: { id: 'updateAccount', summary: 'Update the name or industry of an account', handle: updateAccount },
    delete: {
      id: 'deleteSandboxAccount',
      summary: 'Delete a sandbox account',
      sandboxOnly: true,
      seesDeletedAccount: true,
      handle: deleteSandboxAccount,
    },
  },
})

async function getAccount({ account, params, runtime }: AdsInput): Promise<AdsAnswer> {
  if (account.deleted && params.with_deleted !== true)
    throw new AdsProblem([notFound('ACCOUNT_NOT_FOUND', 'account_id', toBase36(account.id))], { status: 404 })
  const [record] = await accounts.sql.byIds(runtime.database, account.id, [account.id])
  if (!record) throw new AdsProblem([notFound('ACCOUNT_NOT_FOUND', 'account_id')])
  return { data: accounts.toReply(record, runtime.clock.now()) }
}

async function createSandboxAccount({ user, runtime }: AdsInput): Promise<AdsAnswer> {
  const draft = { ownerUserId: user.id, sandbox: true, name: 'Sandbox account' }
  const id = await change(runtime, (tx, invalidate) => createAccount(tx, invalidate, runtime, draft))
  const [record] = await accounts.sql.byIds(runtime.database, id, [id])
  // The platform answers with a list of one.
  return { data: [accounts.toReply(record!, runtime.clock.now())], next_cursor: null }
}

async function updateAccount(input: AdsInput): Promise<AdsAnswer> {
  const outcome = await changeAccount(input, { kind: 'update', id: input.account.id, given: input.params })
  if ('errors' in outcome) throw new AdsProblem(outcome.errors[0]!)
  return outcome
}

async function deleteSandboxAccount(input: AdsInput): Promise<AdsAnswer> {
  const outcome = await changeAccount(input, { kind: 'delete', id: input.account.id })
  // The only possible error: the account is already deleted.
  if ('errors' in outcome) throw new AdsProblem(outcome.errors[0]!, { status: 404 })
  return outcome
}

async function changeAccount(
  input: AdsInput,
  asked: RecordChange<typeof fields>,
): Promise<{ data: unknown } | { errors: AdsError[][] }> {
  const outcome = await changeRecords(accounts, input, [asked], (invalidate) =>
    invalidate('ads_account', input.account.id),
  )
  return 'errors' in outcome ? outcome : { data: accounts.toReply(outcome.records[0]!, input.runtime.clock.now()) }
}
