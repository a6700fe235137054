import { defineEndpoint, type Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { eventStreamAnswer } from '../../api-kit/serving/event-stream.ts'
import { jsonAnswer } from '../../api-kit/writing/answer.ts'
import { blank, tooManyRequests } from '../../api-kit/writing/problems.ts'
import { html } from '../../identity/pages/html.ts'
import { isStorableId } from '../../process/ids.ts'
import { getPostsByIds } from '../../social/posts/read-posts.ts'
import { getUsersTimeline } from '../../social/timelines/read-timelines.ts'
import { defineSignedInPage, openPage, PEOPLE_LIMIT } from '../define-page.ts'
import type { PageRequest } from '../page-request.ts'
import { postCard } from '../parts/post-card.ts'
import { readExtras } from '../parts/post-extras.ts'
import { readMarks } from '../parts/viewer-marks.ts'
import { joinPosts, POST_FIELDS, type PostsAnswer } from '../parts/views.ts'
import { liveHub } from './live-hub.ts'

const MOST_POSTS = 100
/** Pages that a user can have open at the same time, in each process. */
const MOST_OPEN = 50
// Browsers connect again at once: a session that has ended is noticed then.
const LONGEST_MS = 5 * 60_000

/** What happens while a page is open: `counts`, `arrivals`, `metrics`, `gone`, `message`, `read` and `typing`. */
const liveEndpoint: Endpoint = {
  ...defineEndpoint('live', 'GET /i/live', async (request, runtime, { path }) => {
    const page = await openPage(request, runtime, path)
    const { viewer } = page
    if (!viewer) throw blank(403, 'Sign in to follow what happens.')
    const hub = runtime.singleton(liveHub)
    if (hub.openPagesOf(viewer.id) >= MOST_OPEN) throw tooManyRequests(`a user can have ${MOST_OPEN} pages open`)
    const { postIds, goneIds } = await namedPosts(page)
    const isHome = page.query.get('page') === 'home'
    return eventStreamAnswer(runtime, async (stream) => {
      const open = { viewerId: viewer.id, stream, isHome, postIds }
      const timer = setTimeout(() => void hub.close(open), LONGEST_MS)
      stream.onClose(() => clearTimeout(timer))
      for (const id of goneIds) stream.send('gone', { id })
      await hub.open(open, positionOf(page))
    })
  }),
  limit: { ...PEOPLE_LIMIT, refuse: tooManyRequests },
  unrecorded: true,
}

/** The last event that the page got: browsers send it when they connect again, and the script when it opens the channel anew. */
function positionOf({ request, query }: PageRequest): string | undefined {
  const given = String(request.headers['last-event-id'] ?? query.get('last_event_id') ?? '')
  return isStorableId(given) ? given : undefined
}

/** The posts that the page names and its viewer may see: numbers of others stay unknown. Some may be deleted by now. */
async function namedPosts(page: PageRequest): Promise<{ postIds: Set<string>; goneIds: string[] }> {
  const ids = (page.query.get('posts') ?? '').split(',').filter(isStorableId).slice(0, MOST_POSTS)
  if (ids.length === 0) return { postIds: new Set(), goneIds: [] }
  const answer = await page.call<PostsAnswer>(getPostsByIds, { query: { ids: [...new Set(ids)].join(',') } })
  const errors = answer.body.errors ?? []
  return {
    postIds: new Set(answer.body.data?.map((post) => post.id)),
    goneIds: errors.flatMap(({ type, resource_id: id }) => (type?.endsWith('/resource-not-found') && id ? [id] : [])),
  }
}

/** The posts of the home timeline after one, for the script of an open page. */
const arrivals = defineSignedInPage('liveArrivals', 'GET /i/live/home', async (page) => {
  const after = page.query.get('after') ?? ''
  if (!isStorableId(after)) throw blank(400, 'after is not the id of a post.')
  const answer = await page.need<PostsAnswer>(getUsersTimeline, {
    path: { id: page.viewer.id },
    query: { ...POST_FIELDS, max_results: '30', since_id: after },
  })
  const posts = joinPosts(answer.data ?? [], answer.includes)
  const [marks] = await Promise.all([readMarks(page, posts), readExtras(page, posts)])
  return jsonAnswer({
    count: posts.length,
    newest: posts[0]?.id ?? after,
    html: html`${posts.map((post) => postCard(page, post, marks))}`.text,
  })
})

export const livePages: readonly Endpoint[] = [liveEndpoint, arrivals]
