import { serveLooks } from '../../ads/serving/ad-server.ts'
import type { Look, Shown } from '../../ads/serving/look.ts'
import { viewerOf } from '../../ads/serving/viewers.ts'
import type { Html } from '../../identity/pages/html.ts'
import { getUsersByIds } from '../../social/users/read-users.ts'
import { isSeen } from '../count-views.ts'
import type { PageRequest, SignedInRequest } from '../page-request.ts'
import { postCard } from '../parts/post-card.ts'
import { readExtras } from '../parts/post-extras.ts'
import type { PlacedCard } from '../parts/post-list.ts'
import { userCard } from '../parts/user-card.ts'
import { readMarks } from '../parts/viewer-marks.ts'
import { joinPosts, USER_FIELDS, type UserView } from '../parts/views.ts'
import { postsByIds } from '../public/posts-by-ids.ts'

/** The places of a page of the home timeline that ads take, counted from 0. */
const PLACES = [2, 12]

/** The ads of a page of the home timeline, each with its place among so many posts. */
export async function homeAds(page: SignedInRequest, posts: number): Promise<PlacedCard[]> {
  const places = PLACES.filter((place) => place <= posts)
  // What a browser loads ahead is not seen, and costs nobody anything.
  if (places.length === 0 || !isSeen(page.request.headers)) return []
  const { runtime, now } = page
  // The impressions of a look have the ids that follow it, so nothing else gets them.
  const [id] = places.map(() => runtime.ids.next())
  const look: Look = {
    id: id!,
    at: now,
    viewer: await viewerOf(runtime, page.viewer.id),
    placement: 'PLATFORM_TIMELINE',
    slots: places.length,
  }
  const [shown = []] = await serveLooks(runtime, [look], { responds: 'later' })
  const cards = await adCards(page, shown)
  return cards.flatMap((card, at) => (places[at] === undefined ? [] : [{ place: places[at], card }]))
}

async function adCards(page: PageRequest, shown: readonly Shown[]): Promise<Html[]> {
  if (shown.length === 0) return []
  const [answer, users] = await Promise.all([
    postsByIds(
      page,
      shown.flatMap((ad) => ad.postId ?? []),
    ),
    promotedUsers(
      page,
      shown.flatMap((ad) => (ad.postId === null ? ad.userId : [])),
    ),
  ])
  const posts = new Map(joinPosts(answer.data ?? [], answer.includes).map((post) => [post.id, post]))
  const [marks] = await Promise.all([readMarks(page, [...posts.values()]), readExtras(page, [...posts.values()])])
  return shown.flatMap((ad) => {
    // The view of an ad is counted by the ad server, so it is none of the page's own.
    const own = { ...page, ad: ad.impressionId, shownPosts: new Set<string>() }
    const post = posts.get(ad.postId ?? '')
    const user = users.get(ad.userId)
    if (post) return postCard(own, post, marks)
    return ad.postId === null && user ? userCard(own, user) : []
  })
}

async function promotedUsers(page: PageRequest, ids: readonly string[]): Promise<Map<string, UserView>> {
  if (ids.length === 0) return new Map()
  const { body } = await page.call<{ data?: UserView[] }>(getUsersByIds, { query: { ...USER_FIELDS, ids: ids.join() } })
  return new Map(body.data?.map((user) => [user.id, user]))
}
