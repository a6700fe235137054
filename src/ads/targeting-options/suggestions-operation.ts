import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import { isStorableId } from '../../process/ids.ts'
import { rarityOf } from '../../search/term-rarity.ts'
import { tokenize } from '../../search/tokenize.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { AdsError, AdsProblem, invalidParameter } from '../kit/errors.ts'
import { defineAdsOperation, optional, required } from '../kit/operation.ts'
import { listKind, oneOfKind, textKind, wholeKind } from '../kit/values.ts'
import { anyPhrase, newestTalk, sinceId } from './talk.ts'

const TYPES = ['KEYWORD', 'USER_ID'] as const
const MOST_SEEDS = 100

const relatedTerms = statement(
  'ads_related_terms',
  { term: 'text', posts: 'int8' },
  `with found as materialized (
     ${newestTalk({ terms: '(select $1::tsquery)', after: '(select $2::bigint)', limit: '2000' })}
   )
   select t.term, count(*) as posts from found cross join lateral unnest(tsvector_to_array(found.terms)) as t (term)
    where t.term !~ '[:#$~]' and t.term !~ '^[0-9_]+$' group by 1 order by 2 desc, 1 limit 1000`,
)

const usersFound = statement(
  'ads_suggestion_seeds',
  { id: 'int8' },
  'select id from user_account where id = any($1::bigint[])',
)
// Users whom the newest followers of the seeds also follow; the number of shared followers is weighted against all of their followers.
const similarUsers = statement(
  'ads_similar_users',
  { id: 'int8' },
  `with fans as materialized (
     select distinct f.source_id from (select source_id from follow where target_id = any($1::bigint[]) and not pending order by id desc limit 5000) f
   ), shared as (
     select g.target_id as id, count(*) as fans from fans
      cross join lateral (select target_id from follow where source_id = fans.source_id and not pending order by id desc limit 200) g
      where g.target_id <> all($1::bigint[]) group by 1 order by 2 desc limit 1000
   )
   select s.id from shared s join user_account u on u.id = s.id join user_metrics m on m.user_id = s.id
    where not u.suspended and not u.protected
    order by s.fans / sqrt(greatest(m.followers_count, 1)) desc, s.fans desc, s.id limit $2`,
)

/** Words that occur together with the seeds in posts, the most frequent first. */
async function suggestKeywords(db: Db, seeds: readonly string[], count: number, now: number): Promise<string[]> {
  const rows = await relatedTerms.all(db, anyPhrase(seeds), sinceId(now))
  const terms = new Set(rows.map((row) => row.term))
  const own = new Set(seeds.flatMap(tokenize))
  return rows
    .map((row) => row.term)
    .filter((term) => !own.has(term) && !term.startsWith('@') && !terms.has(`@${term}`))
    .filter((term) => [...term].length > 1 && rarityOf(term) >= 1)
    .slice(0, count)
}

function seedErrors({
  suggestion_type: type,
  targeting_values: seeds,
}: {
  suggestion_type: string
  targeting_values: string[]
}): AdsError[] {
  const isWrong =
    type === 'USER_ID' ? (seed: string) => !isStorableId(seed) : (seed: string) => tokenize(seed).length === 0
  const wrong = seeds.find(isWrong)
  if (wrong === undefined) return []
  const says = type === 'USER_ID' ? 'must all be ids of users' : 'must all be keywords'
  return [invalidParameter('targeting_values', `${says} with the suggestion_type ${type}`, wrong)]
}

async function checkUsers(db: Db, ids: readonly string[]): Promise<void> {
  const existing = new Set((await usersFound.all(db, ids)).map((row) => row.id))
  const unknown = ids.find((id) => !existing.has(BigInt(id).toString()))
  if (unknown !== undefined)
    throw new AdsProblem([
      new AdsError('INVALID_USER_ID', 'There is no such user', { parameter: 'targeting_values', value: unknown }),
    ])
}

export const listTargetingSuggestions = defineAdsOperation({
  id: 'listTargetingSuggestions',
  route: 'GET /12/accounts/{account_id}/targeting_suggestions',
  tag: 'Targeting Suggestions',
  summary: 'Suggest keywords or users similar to given ones',
  params: {
    suggestion_type: required(oneOfKind(TYPES)),
    targeting_values: required(listKind(textKind({ min: 1, max: 500 }), { max: MOST_SEEDS })),
    count: optional(wholeKind({ min: 1, max: 50 }), { initial: 30 }),
  },
  data: Type.Array(
    component('TargetingSuggestion', Type.Object({ suggestion_type: words(TYPES), suggestion_value: Type.String() })),
  ),
  may: 'see campaigns',
  check: seedErrors,
  handle: async ({ params, runtime }) => {
    const { suggestion_type: type, targeting_values: seeds } = params
    const count = params.count!
    if (type === 'USER_ID') await checkUsers(runtime.database, seeds)
    const values =
      type === 'USER_ID'
        ? (await similarUsers.all(runtime.database, seeds, count)).map((row) => row.id)
        : await suggestKeywords(runtime.database, seeds, count, runtime.clock.now())
    return { data: values.map((value) => ({ suggestion_type: type, suggestion_value: value })) }
  },
})
