import { Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { statement } from '../../storage/statement.ts'
import { batchProblem } from '../kit/batch-records.ts'
import { AdsProblem, notFound, refusal } from '../kit/errors.ts'
import { setLockTimeout } from '../kit/lock.ts'
import { defineAdsOperation } from '../kit/operation.ts'
import { wholeSecond } from '../kit/times.ts'
import { idKind, toBase36 } from '../kit/values.ts'
import { AUDIENCE_NOT_FOUND, wrongType } from './custom-audience.shape.ts'
import { audiencePath, findWritable } from './reached-audience.entity.ts'
import { type BatchRules, MOST_BYTES, MOST_OPERATIONS, readUserBatch } from './read-user-batch.ts'
import { needsExclusiveLock, storeUserBatch } from './store-user-batch.ts'

const RULES: BatchRules = {
  identifiers: ['email', 'device_id', 'handle', 'platform_id', 'phone_number', 'partner_user_id'],
  eitherCase: false,
  choosesStart: true,
  takesEmails: false,
}

const lockShared = statement(
  'ads_custom_audience_lock_shared',
  { id: 'int8' },
  'select id from ads_custom_audience where id = $1 and not deleted for key share',
)
const lockExclusive = statement(
  'ads_custom_audience_lock_exclusive',
  { id: 'int8' },
  'select id from ads_custom_audience where id = $1 and not deleted for update',
)
// A targetable audience stays targetable until the next count.
const markChanged = statement(
  'ads_custom_audience_people_changed',
  {},
  `update ads_custom_audience set due_at = greatest($2, rest_until), revision = revision + 1,
     reasons_not_targetable = case when targetable then reasons_not_targetable else '{PROCESSING,TOO_SMALL}' end
    where id = $1`,
)
/** The number of users in a batch; both counts are always the same. */
export const BatchCounts = Type.Object({ success_count: Type.Integer(), total_count: Type.Integer() })

/** Operations on users. Their rules are checked item by item, not by the schema. */
export const UserOperations = Type.Array(Type.Unknown(), {
  description: 'Objects of operation_type (Update, Delete) and params',
})

/** Refuses a batch without operations or with too many. */
export function checkBatchSize(operations: readonly unknown[]): void {
  if (operations.length === 0 || operations.length > MOST_OPERATIONS)
    throw refusal('REQUEST_TOO_COMPLEX', 'The batch has too few or too many operations', {
      details: `a batch has 1 to ${MOST_OPERATIONS} operations`,
    })
}

/** Adds users to a custom audience and removes users from it, all or nothing. */
export const updateCustomAudienceUsers = defineAdsOperation({
  id: 'updateCustomAudienceUsers',
  route: 'POST /12/accounts/{account_id}/custom_audiences/{custom_audience_id}/users',
  tag: 'Custom Audience Users',
  summary: 'Add and remove users of a custom audience',
  path: audiencePath('custom_audience_id'),
  body: UserOperations,
  bodyLimit: MOST_BYTES,
  data: BatchCounts,
  may: 'manage audiences',
  limit: 'audience users',
  allowlist: 'audience_users',
  handle: async (input) => {
    const { runtime, body } = input
    const audience = await findWritable(input)
    if (audience.audience_type === 'FLEXIBLE')
      throw new AdsProblem([wrongType('custom_audience_id', 'a flexible audience consists of other audiences')])
    if (audience.tag_id !== null)
      throw new AdsProblem([wrongType('custom_audience_id', 'the members of this audience come from its event tag')])
    checkBatchSize(body)
    const now = wholeSecond(runtime.clock.now())
    const batch = await readUserBatch(body, { ...RULES, ignores: input.ignores }, now)
    if ('errors' in batch) {
      const params = { account_id: idKind.show(input.account.id), custom_audience_id: toBase36(audience.id) }
      throw batchProblem(batch.errors, { params })
    }
    await change(runtime, async (tx) => {
      await setLockTimeout(tx)
      const found = await (needsExclusiveLock(batch) ? lockExclusive : lockShared).first(tx, audience.id)
      if (!found) throw new AdsProblem([notFound(AUDIENCE_NOT_FOUND, 'custom_audience_id', toBase36(audience.id))])
      const isChanged = await storeUserBatch(tx, audience.id, batch)
      if (isChanged) await markChanged.count(tx, audience.id, now)
    })
    const people = batch.personEnds.length
    return { data: { success_count: people, total_count: people } }
  },
})
