import { change } from '../../api-kit/runtime.ts'
import { statement } from '../../storage/statement.ts'
import { batchProblem } from '../kit/batch-records.ts'
import { findRecord } from '../kit/entity-operations.ts'
import { AdsProblem, notFound } from '../kit/errors.ts'
import { setLockTimeout } from '../kit/lock.ts'
import { type AdsContext, defineAdsOperation } from '../kit/operation.ts'
import { parseTime, showTime, wholeSecond } from '../kit/times.ts'
import { idKind, toBase36 } from '../kit/values.ts'
import { BatchCounts, checkBatchSize, UserOperations } from './custom-audience-users.ts'
import { doNotReachLists } from './do-not-reach-list.entity.ts'
import { type BatchRules, MOST_BYTES, readUserBatch } from './read-user-batch.ts'
import { needsExclusiveLock, storeUserBatch } from './store-user-batch.ts'

const RULES: BatchRules = {
  identifiers: ['email', 'phone_number'],
  eitherCase: true,
  choosesStart: false,
  takesEmails: true,
}

const lockShared = statement(
  'ads_do_not_reach_list_lock_shared',
  { id: 'int8' },
  'select id from ads_do_not_reach_list where id = $1 and not deleted for key share',
)
const lockExclusive = statement(
  'ads_do_not_reach_list_lock_exclusive',
  { id: 'int8' },
  'select id from ads_do_not_reach_list where id = $1 and not deleted for update',
)
const markChanged = statement(
  'ads_do_not_reach_list_people_changed',
  {},
  `update ads_do_not_reach_list set due_at = greatest($2, rest_until), revision = revision + 1,
     reasons_not_targetable = case when targetable then reasons_not_targetable else '{PROCESSING,TOO_SMALL}' end
    where id = $1`,
)

/** Adds users to a Do Not Reach list and removes users from it, all or nothing. */
export const batchDoNotReachListUsers = defineAdsOperation({
  id: 'batchDoNotReachListUsers',
  route: 'POST /12/batch/accounts/{account_id}/do_not_reach_lists/{do_not_reach_list_id}/users',
  tag: 'Do Not Reach Lists',
  summary: 'Add and remove users of a Do Not Reach list',
  path: { do_not_reach_list_id: { kind: idKind, missing: doNotReachLists.notFound } },
  body: UserOperations,
  bodyLimit: MOST_BYTES,
  data: BatchCounts,
  envelope: 'batch',
  may: 'manage audiences',
  limit: 'audience users',
  handle: async (input) => {
    const { runtime, body } = input
    const list = await findRecord(doNotReachLists, input)
    checkBatchSize(body)
    const now = wholeSecond(runtime.clock.now())
    const request = body.map((item) => echoOf(input, item))
    const batch = await readUserBatch(body, { ...RULES, ignores: input.ignores }, now)
    if ('errors' in batch) throw batchProblem(batch.errors, request)
    await change(runtime, async (tx) => {
      await setLockTimeout(tx)
      const found = await (needsExclusiveLock(batch) ? lockExclusive : lockShared).first(tx, list.id)
      if (!found) throw new AdsProblem([notFound(doNotReachLists.notFound, 'do_not_reach_list_id', toBase36(list.id))])
      const isChanged = await storeUserBatch(tx, list.id, batch)
      if (isChanged) await markChanged.count(tx, list.id, now)
    })
    return {
      request,
      data: batch.operations.map(({ people }) => ({ success_count: people, total_count: people })),
    }
  },
})

/** The echo of an operation, without its users. */
function echoOf(input: AdsContext, item: unknown) {
  const { operation_type: type, params } = (item ?? {}) as {
    operation_type?: unknown
    params?: { expires_at?: unknown }
  }
  const expiry = parseTime(params?.expires_at)
  return {
    params: {
      account_id: toBase36(input.account.id),
      do_not_reach_list_id: toBase36(input.path.do_not_reach_list_id!),
      ...(expiry ? { expires_at: showTime(expiry) } : {}),
    },
    operation_type: typeof type === 'string' ? type.slice(0, 100) : null,
  }
}
