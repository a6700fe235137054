import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { AdsError, invalidParameter, notFound } from '../kit/errors.ts'
import { audiencesOf } from './audience-check.ts'
import type { CriterionFacts } from './targeting-criterion.fields.ts'
import { factsOf } from './targeting-types.data.ts'

const usersAndRecords = statement(
  'ads_targeting_referred',
  { kind: 'text', id: 'int8' },
  `select 'user' as kind, id from user_account where id = any($2::bigint[]) and not suspended
   union all select 'full user', user_id from ads_promotable_user
     where account_id = $1 and user_id = any($2::bigint[]) and promotable_user_type = 'FULL' and not deleted
   union all select 'promotable user', user_id from ads_promotable_user where account_id = $1 and user_id = any($2::bigint[]) and not deleted
   union all select 'publisher', user_id from ads_publisher where user_id = any($2::bigint[])
   union all select 'campaign', id from ads_campaign where account_id = $1 and id = any($3::bigint[]) and not deleted
   union all select 'app list', id from ads_app_list where account_id = $1 and id = any($4::bigint[]) and not deleted`,
)

const USER_KINDS = new Set(['user', 'full user', 'promotable user', 'publisher'])

/** A criterion whose value may be the id of a record. */
type ReferringCriterion = CriterionFacts & { value_id: string | null }

/** The errors of the users, campaigns, audiences and lists that criteria name, in the order of the criteria. */
export async function referenceErrors(
  db: Db,
  accountId: string,
  criteria: readonly ReferringCriterion[],
): Promise<AdsError[][]> {
  const idsOf = (fits: (kind: string) => boolean): string[] => [
    ...new Set(
      criteria.flatMap((item) => (item.value_id && fits(factsOf(item.targeting_type).value) ? item.value_id : [])),
    ),
  ]
  const users = idsOf((kind) => USER_KINDS.has(kind))
  const campaigns = idsOf((kind) => kind === 'campaign')
  const appLists = idsOf((kind) => kind === 'app list')
  const hasRecords = users.length + campaigns.length + appLists.length > 0
  const rows = hasRecords ? await usersAndRecords.all(db, accountId, users, campaigns, appLists) : []
  const existing = new Set(rows.map((row) => `${row.kind}:${row.id}`))
  const audiences = await audiencesOf(
    db,
    accountId,
    idsOf((kind) => kind === 'audience'),
  )
  return criteria.map((item) => {
    if (!item.value_id) return []
    const { value: kind } = factsOf(item.targeting_type)
    if (kind === 'audience') return audienceErrors(item, audiences.get(item.value_id))
    return existing.has(`${kind}:${item.value_id}`) ? [] : [missing(kind, item.targeting_value)]
  })
}

function audienceErrors(item: ReferringCriterion, targetable: boolean | undefined): AdsError[] {
  if (targetable === undefined)
    return [
      notFound(
        item.targeting_type === 'CUSTOM_AUDIENCE'
          ? 'TAILORED_AUDIENCE_NOT_FOUND'
          : 'TAILORED_AUDIENCE_OR_TAILORED_AUDIENCE_EXPANDED_NOT_FOUND',
        'targeting_value',
        item.targeting_value,
      ),
    ]
  return targetable
    ? []
    : [
        invalidParameter(
          'targeting_value',
          'the audience cannot be targeted: its targetable is false',
          item.targeting_value,
        ),
      ]
}

function missing(kind: string, value: string): AdsError {
  switch (kind) {
    case 'campaign':
      return notFound('CAMPAIGN_NOT_FOUND', 'targeting_value', value)
    case 'app list':
      return notFound('NOT_FOUND', 'targeting_value', value)
    case 'full user':
      return notFound('PROMOTABLE_USER_NOT_FOUND', 'targeting_value', value).with({
        details: 'must be the FULL promotable user of the account',
      })
    case 'promotable user':
      return notFound('PROMOTABLE_USER_NOT_FOUND', 'targeting_value', value)
    default:
      return new AdsError(
        'INVALID_USER_ID',
        kind === 'publisher' ? 'The user is not a content publisher' : 'There is no such user',
        { parameter: 'targeting_value', value },
      )
  }
}
