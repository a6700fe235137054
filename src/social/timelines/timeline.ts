import { csv } from '../../api-kit/declaring/parameters.ts'
import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import { PageMeta, type PageRange, type PageRequest, readPage } from '../../api-kit/reading/paging.ts'
import { checkTimes, type IdRange, idRange, narrow, type TimeBounds } from '../../api-kit/reading/time-bounds.ts'

/** What a timeline may leave out. */
export const exclude = csv(words(['replies', 'reposts']), { required: false, unique: true })

/** `meta` of a timeline. */
export const TimelineMeta = Type.Object({
  newest_id: Type.Optional(component('NewestId', Type.String())),
  oldest_id: Type.Optional(component('OldestId', Type.String())),
  ...PageMeta.properties,
})

// There are no ids of earlier times.
const EARLIEST_MS = Date.UTC(2010, 10, 6)

/** Ids of posts within a range, beginning at its newer end (`older`) or at its older end (`newer`). */
export type TimelineLoad = (
  direction: PageRange['direction'],
  range: IdRange,
  limit: number,
) => Promise<{ id: string }[]>

/** Reads a page of a timeline within the bounds of the request. `meta` depends on which posts of the page are shown. */
export async function readTimeline(page: PageRequest, bounds: TimeBounds, load: TimelineLoad) {
  checkTimes(bounds, { earliestMs: EARLIEST_MS })
  const range = idRange(bounds)
  const { items, meta } = await readPage(
    page,
    ({ direction, key, limit }) => load(direction, narrow(range, direction, key), limit),
    (item) => item.id,
  )
  return {
    ids: items.map((item) => item.id),
    meta: (shown: readonly string[]) => ({
      ...(shown.length > 0 ? { newest_id: shown[0], oldest_id: shown.at(-1) } : {}),
      ...meta,
    }),
  }
}
