import type { Runtime } from '../../api-kit/runtime.ts'
import { idAt } from '../../process/ids.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

const publisherSet = statement(
  'ads_publisher_set',
  {},
  `insert into ads_publisher (user_id, monetization_restricted, monetizable_country_codes, promotion_eligible_country_codes, content_category_ids)
   values ($1, $2, $3::text[], $4::text[], $5::text[])
   on conflict (user_id) do update set monetization_restricted = excluded.monetization_restricted,
     monetizable_country_codes = excluded.monetizable_country_codes,
     promotion_eligible_country_codes = excluded.promotion_eligible_country_codes, content_category_ids = excluded.content_category_ids`,
)
const publisherEnd = statement('ads_publisher_end', {}, 'delete from ads_publisher where user_id = $1')

// Videos of protected and suspended users cannot be monetized.
const publisherList = statement(
  'ads_publishers',
  {
    user_id: 'int8',
    username: 'text',
    monetization_restricted: 'bool',
    monetizable_country_codes: 'text[]',
    promotion_eligible_country_codes: 'text[]',
    content_category_ids: 'text[]',
  },
  `select b.user_id, u.username, b.monetization_restricted or u.protected or u.suspended as monetization_restricted,
          b.monetizable_country_codes, b.promotion_eligible_country_codes, b.content_category_ids
     from ads_publisher b join user_account u on u.id = b.user_id order by b.user_id`,
)
const publisherActivity = statement(
  'ads_publisher_activity',
  { user_id: 'int8', country_codes: 'text[]', content_category_ids: 'text[]', posts: 'int4', videos: 'int4' },
  `select b.user_id, b.monetizable_country_codes as country_codes, b.content_category_ids, recent.posts, recent.videos
     from ads_publisher b join user_account u on u.id = b.user_id
     cross join lateral (
       select count(*)::int as posts,
              count(*) filter (where exists (select from unnest(p.media_keys) as key where key ~ '^(7|13)_'))::int as videos
         from post p where p.author_id = b.user_id and p.id >= $1 and p.reposted_post_id is null and not p.superseded and not p.nullcast
     ) recent
    where not b.monetization_restricted and not u.protected and not u.suspended order by b.user_id`,
)

/** The terms of a publisher. */
export interface PublisherTerms {
  restricted: boolean
  /** Countries where advertisements run before their videos. */
  monetizableCountries: readonly string[]
  /** Countries where their videos may be promoted. */
  promotableCountries: readonly string[]
  contentCategoryIds: readonly string[]
}

/** Makes a user a publisher or changes their terms; without terms, the user is not a publisher any more. */
export async function setPublisher(db: Db, userId: string, terms: PublisherTerms | undefined): Promise<void> {
  if (!terms) await publisherEnd.count(db, userId)
  else
    await publisherSet.count(
      db,
      userId,
      terms.restricted,
      terms.monetizableCountries,
      terms.promotableCountries,
      terms.contentCategoryIds,
    )
}

export const allPublishers = (runtime: Runtime) => publisherList.all(runtime.database)

const THIRTY_DAYS_MS = 30 * 24 * 3600_000

/** The publishers who can monetize videos, with the posts and videos of the last thirty days. */
export const recentPublishers = (runtime: Runtime) =>
  publisherActivity.all(runtime.database, idAt(runtime.clock.now() - THIRTY_DAYS_MS))
export type RecentPublisher = Awaited<ReturnType<typeof recentPublishers>>[number]
