import { closed, Type, words } from '../../api-kit/declaring/schema.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { statement } from '../../storage/statement.ts'
import { type Command, defineCommand, findUser, NameOrId } from '../command.ts'

const termsSet = statement(
  'control_ads_shopping_terms',
  {},
  'insert into ads_shopping_terms (user_id, accepted) values ($1, $2) on conflict (user_id) do update set accepted = excluded.accepted',
)
const feedFind = statement('control_ads_feed_find', { id: 'int8' }, 'select id from ads_scheduled_feed where id = $1')
const feedRuns = statement(
  'control_ads_feed_runs',
  {
    id: 'int8',
    started_at: 'timestamptz',
    finished_at: 'timestamptz?',
    outcome: 'text?',
    problem: 'text?',
    created: 'int4',
    updated: 'int4',
    unchanged: 'int4',
    failed: 'int4',
    faults: 'jsonb',
  },
  `select id, started_at, finished_at, outcome, problem, created, updated, unchanged, failed, faults
     from ads_feed_run where feed_id = $1 order by id desc limit 20`,
)

const merchant = defineCommand(
  'ads.merchant.set',
  closed({ user: NameOrId, shopping_terms: words(['accepted', 'withdrawn']) }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    await termsSet.count(runtime.database, user.id, args.shopping_terms === 'accepted')
    return { user: user.username, shopping_terms: args.shopping_terms }
  },
)

const runs = defineCommand('ads.feed.runs', closed({ feed: Type.String() }), async (runtime, { feed }) => {
  if (!isStorableId(feed) || !(await feedFind.first(runtime.database, feed)))
    throw invalidParameter('feed', feed, 'There is no scheduled feed with this id.')
  return feedRuns.all(runtime.database, feed)
})

/** Commands for product catalogs. */
export const adsCatalogCommands: Command[] = [merchant, runs]
