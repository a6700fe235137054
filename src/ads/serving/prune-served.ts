import { idAt } from '../../process/ids.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const DAY_MS = 24 * 3600_000
/** A look that is repeated gets the same ads for so long. */
const LOOKS_KEPT_MS = DAY_MS
/** Jobs reach over 90 days and conversions are credited for 30: whoever compares with the year before finds it too. */
const EVENTS_KEPT_DAYS = 400
const CAMPAIGNS_AT_ONCE = 100
const EVENTS_AT_ONCE = 10_000
const VIEWERS_AT_ONCE = 5_000

const looksPrune = statement('ads_looks_prune', {}, 'delete from ads_look where id < $1')
// A page of campaigns in the order of ids, because events are in the order of time only within their campaign.
const eventsPrune = statement(
  'ads_events_prune',
  { last: 'int8?', removed: 'int4' },
  `with page as (select id from ads_campaign where id > $1 order by id limit $2),
     old as (
       select e.viewer, e.id from page p cross join lateral (
         select viewer, id from ads_event where campaign_id = p.id and id < $3 order by id limit $4) e
        limit $4),
     removed as (delete from ads_event e using old o where e.viewer = o.viewer and e.id = o.id returning 1)
   select (select max(id) from page) as last, (select count(*)::int from removed) as removed`,
)
const sightingsPrune = statement(
  'ads_sightings_prune',
  { last: 'int4?' },
  `with page as (select number from ads_viewer where number > $1 order by number limit $2),
     removed as (
       delete from ads_sighting s where s.viewer > $1 and s.viewer <= (select max(number) from page) and s.day < $3)
   select max(number) as last from page`,
)

/** Removes what the ad server no longer needs, a page with each call: the cost does not follow the number of campaigns and people. */
export class ServedPruner {
  #campaignsAfter = '0'
  #viewersAfter = 0

  async prune(db: Db, now: number): Promise<void> {
    await looksPrune.count(db, idAt(now - LOOKS_KEPT_MS))
    const before = idAt(now - EVENTS_KEPT_DAYS * DAY_MS)
    const events = await eventsPrune.first(db, this.#campaignsAfter, CAMPAIGNS_AT_ONCE, before, EVENTS_AT_ONCE)
    // Where a page has more than could be removed at once, the next call looks at it again.
    if (events && events.removed < EVENTS_AT_ONCE) this.#campaignsAfter = events.last ?? '0'
    const day = Math.floor(now / DAY_MS) - EVENTS_KEPT_DAYS
    const viewers = await sightingsPrune.first(db, this.#viewersAfter, VIEWERS_AT_ONCE, day)
    this.#viewersAfter = viewers?.last ?? 0
  }
}
