import { component, nullable, Type, words } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { AdsProblem, notFound, refusal } from '../kit/errors.ts'
import { defineAdsOperation, optional, required } from '../kit/operation.ts'
import { wholeSecond } from '../kit/times.ts'
import { decimalKind } from '../kit/values.ts'
import { catalogPath, EARLY_ACCESS, findCatalog } from './catalog-access.ts'
import { HOURS, nextFetch, WEEKDAYS } from './feed-schedule.ts'
import { type FeedDraft, FORMATS, FREQUENCIES, feedErrors, feedKinds } from './scheduled-feed.rules.ts'
import { feedAdd, feedLock, feedRemove, feedsOf, feedUpdate } from './scheduled-feed.statements.ts'

const Millis = Type.String({
  format: 'date-time',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
})

const FeedSchema = component(
  'AdsScheduledFeed',
  Type.Object({
    id: decimalKind.schema,
    product_catalog_id: decimalKind.schema,
    feed_url: Type.String(),
    feed_format: words(FORMATS),
    frequency: words(FREQUENCIES),
    repeat: nullable(words([...WEEKDAYS, ...HOURS])),
    start_time: Type.String(),
    time_zone: Type.String(),
    created_at: Millis,
    updated_at: Millis,
  }),
)

type Row = NonNullable<Awaited<ReturnType<typeof feedLock.first>>>

// Unlike elsewhere, these times have milliseconds.
const toReply = ({ catalog_id, created_at, updated_at, ...row }: Row) => ({
  ...row,
  product_catalog_id: catalog_id,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
})

const shared = { ...EARLY_ACCESS, tag: 'Scheduled Feeds', data: FeedSchema }
const itemPath = { ...catalogPath, scheduled_feed_id: { kind: decimalKind, missing: 'NOT_FOUND', echoAs: 'id' } }
const feedNotFound = (id: string) => new AdsProblem([notFound('NOT_FOUND', 'scheduled_feed_id', id)])

const listFeeds = defineAdsOperation({
  ...shared,
  id: 'listScheduledFeeds',
  route: 'GET /12/product_catalogs/{product_catalog_id}/scheduled_feeds',
  summary: 'List the scheduled feeds of a catalog (at most one)',
  path: catalogPath,
  envelope: 'list',
  limit: 'catalog reads',
  handle: async (input) => {
    const { id } = await findCatalog(input)
    return { data: (await feedsOf.all(input.runtime.database, id)).map(toReply), next_cursor: null }
  },
})

const createFeed = defineAdsOperation({
  ...shared,
  id: 'createScheduledFeed',
  route: 'POST /12/product_catalogs/{product_catalog_id}/scheduled_feeds',
  summary: 'Create a scheduled feed, which fetches a product file regularly',
  path: catalogPath,
  params: {
    feed_url: required(feedKinds.feed_url),
    feed_format: required(feedKinds.feed_format),
    frequency: required(feedKinds.frequency),
    repeat: optional(feedKinds.repeat),
    start_time: required(feedKinds.start_time),
    time_zone: required(feedKinds.time_zone),
  },
  limit: 'catalog writes',
  handle: async (input) => {
    const { runtime, params } = input
    const draft: FeedDraft = { ...params, repeat: params.repeat ?? null }
    const errors = feedErrors(draft, runtime.outgoing.privateAllowed)
    if (errors.length > 0) throw new AdsProblem(errors)
    const catalog = await findCatalog(input)
    const now = runtime.clock.now()
    const created = await feedAdd.first(
      runtime.database,
      runtime.ids.next(),
      catalog.id,
      draft.feed_url,
      draft.feed_format,
      draft.frequency,
      draft.repeat,
      draft.start_time,
      draft.time_zone,
      new Date(nextFetch(draft, now)),
      wholeSecond(now),
    )
    if (!created)
      throw refusal('ACTION_NOT_ALLOWED', 'The catalog already has a scheduled feed', {
        details: 'a user can have one scheduled feed; update or delete it',
      })
    return { data: toReply(created) }
  },
})

const updateFeed = defineAdsOperation({
  ...shared,
  id: 'updateScheduledFeed',
  route: 'PUT /12/product_catalogs/{product_catalog_id}/scheduled_feeds/{scheduled_feed_id}',
  summary: 'Update a scheduled feed',
  path: itemPath,
  params: {
    feed_url: optional(feedKinds.feed_url),
    feed_format: optional(feedKinds.feed_format),
    frequency: optional(feedKinds.frequency),
    repeat: { ...optional(feedKinds.repeat), clearable: true },
    start_time: optional(feedKinds.start_time),
    time_zone: optional(feedKinds.time_zone),
  },
  limit: 'catalog writes',
  handle: async (input) => {
    const { runtime, params, path } = input
    const catalog = await findCatalog(input)
    const id = path.scheduled_feed_id!
    const changed = await change(runtime, async (tx) => {
      const stored = await feedLock.first(tx, catalog.id, id)
      if (!stored) throw feedNotFound(id)
      const draft = { ...stored, ...params } as Row & FeedDraft
      const errors = feedErrors(draft, runtime.outgoing.privateAllowed)
      if (errors.length > 0) throw new AdsProblem(errors)
      const isSame = (Object.keys(params) as (keyof FeedDraft)[]).every((name) => stored[name] === draft[name])
      if (isSame) return stored
      const now = runtime.clock.now()
      return feedUpdate.first(
        tx,
        id,
        draft.feed_url,
        draft.feed_format,
        draft.frequency,
        draft.repeat,
        draft.start_time,
        draft.time_zone,
        new Date(nextFetch(draft, now)),
        wholeSecond(now),
      )
    })
    return { data: toReply(changed!) }
  },
})

const deleteFeed = defineAdsOperation({
  ...shared,
  id: 'deleteScheduledFeed',
  route: 'DELETE /12/product_catalogs/{product_catalog_id}/scheduled_feeds/{scheduled_feed_id}',
  summary: 'Delete a scheduled feed; its products remain',
  path: itemPath,
  limit: 'catalog writes',
  handle: async (input) => {
    const { id } = await findCatalog(input)
    const removed = await feedRemove.first(input.runtime.database, id, input.path.scheduled_feed_id!)
    if (!removed) throw feedNotFound(input.path.scheduled_feed_id!)
    return { data: toReply(removed) }
  },
})

export const scheduledFeedOperations = [listFeeds, createFeed, updateFeed, deleteFeed]
