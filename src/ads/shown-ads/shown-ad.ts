import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

/** An ad that somebody saw. */
export interface ShownAd {
  /** Number of the viewer. */
  viewer: number
  /** The post that was shown, not a repost of it; null for a promoted account. */
  postId: string | null
  /** Who is shown, or wrote the post. */
  userId: string
}

const shownAd = statement(
  'ads_shown_ad',
  { viewer: 'int4', post_id: 'int8?', user_id: 'int8?' },
  `select e.viewer, o.id as post_id, coalesce(o.author_id, a.user_id) as user_id
     from ads_viewer v
     join ads_event e on e.viewer = v.number and e.id = $2 and e.impression_id is null
     left join ads_promoted_post p on p.id = e.promoted_id
     left join post q on q.id = p.post_id
     left join post o on o.id = coalesce(q.reposted_post_id, q.id)
     left join ads_promoted_account a on a.id = e.promoted_id
    where v.user_id = $1`,
)

/** The ad of an impression, if this user saw it. */
export async function findShownAd(db: Db, userId: string, impressionId: string): Promise<ShownAd | undefined> {
  const row = await shownAd.first(db, userId, impressionId)
  return row?.user_id ? { viewer: row.viewer, postId: row.post_id, userId: row.user_id } : undefined
}
