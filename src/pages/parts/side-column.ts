import type { Runtime } from '../../api-kit/runtime.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { WORLD } from '../../social/trends/trend-places.ts'
import { getUsersByIds } from '../../social/users/read-users.ts'
import { statement } from '../../storage/statement.ts'
import type { PageRequest, SignedInRequest } from '../page-request.ts'
import { readTrends, type Trend, trendList } from '../public/trends.page.ts'
import { userCard } from './user-card.ts'
import { USER_FIELDS, type UserView } from './views.ts'

const MOST_TRENDS = 6
const MOST_PEOPLE = 3
// Trends change slowly, and every page shows them.
const TRENDS_FOR_MS = 10_000

const kept = new WeakMap<Runtime, { at: number; trends: Promise<Trend[]> }>()

function currentTrends(page: PageRequest): Promise<Trend[]> {
  const known = kept.get(page.runtime)
  if (known && Math.abs(page.now - known.at) < TRENDS_FOR_MS) return known.trends
  const trends = readTrends(page, WORLD, MOST_TRENDS)
  kept.set(page.runtime, { at: page.now, trends })
  // A failure is not kept.
  trends.catch(() => kept.delete(page.runtime))
  return trends
}

/** The second column of wide screens: what many people post about. */
export async function sideColumn(page: PageRequest): Promise<Html> {
  return html`<section aria-labelledby="side-trends"><h2 id="side-trends">Trends</h2>
${trendList(page, await currentTrends(page), 'Nothing stands out at the moment.')}
<p class="small"><a href="${page.runtime.mount}/i/trends">All trends</a></p></section>`
}

/** Whom those follow whom the viewer follows, most often first: of at most 50 of them, at most 50 follows each. */
const peopleToFollow = statement(
  'page_people_to_follow',
  { id: 'int8' },
  `select s.target_id as id
     from (select target_id from follow where source_id = $1 and not pending order by id desc limit 50) mine
     cross join lateral (select target_id from follow where source_id = mine.target_id and not pending order by id desc limit 50) s
    where s.target_id <> $1 and not exists (select from follow f where f.source_id = $1 and f.target_id = s.target_id)
      and not exists (select from mute m where m.source_id = $1 and m.target_id = s.target_id)
    group by 1 order by count(*) desc, 1 limit $2`,
)

/** The same with people whom the viewer may want to follow. */
export async function sideColumnWithPeople(page: SignedInRequest): Promise<Html> {
  const [trends, rows] = await Promise.all([
    sideColumn(page),
    peopleToFollow.all(page.runtime.database, page.viewer.id, MOST_PEOPLE * 2),
  ])
  const users = rows.length === 0 ? [] : await readPeople(page, rows)
  return users.length === 0
    ? trends
    : html`${trends}<section aria-labelledby="side-people"><h2 id="side-people">Who to follow</h2>
${users.map((user) => userCard(page, user))}</section>`
}

async function readPeople(page: SignedInRequest, rows: readonly { id: string }[]): Promise<UserView[]> {
  const query = { ...USER_FIELDS, ids: rows.map((row) => row.id).join() }
  const { body } = await page.call<{ data?: UserView[] }>(getUsersByIds, { query })
  const isFree = ({ connection_status: status = [] }: UserView) =>
    !status.some((word) => word === 'blocking' || word === 'following_request_sent')
  return (body.data ?? []).filter(isFree).slice(0, MOST_PEOPLE)
}
