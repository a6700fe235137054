import { type Html, html } from '../../identity/pages/html.ts'
import { LARGEST_ID } from '../../process/ids.ts'
import { getUsersLikedPosts } from '../../social/likes/read-likes.ts'
import { getUsersPosts } from '../../social/timelines/read-timelines.ts'
import { statement } from '../../storage/statement.ts'
import { recordAct } from '../ads/record-acts.ts'
import { definePeoplePage, defineSignedInPage } from '../define-page.ts'
import { HiddenFromViewer, type PageRequest } from '../page-request.ts'
import { icon } from '../parts/icons.ts'
import { postCard } from '../parts/post-card.ts'
import { readExtras } from '../parts/post-extras.ts'
import { postList } from '../parts/post-list.ts'
import { readMarks } from '../parts/viewer-marks.ts'
import { joinPosts, POST_FIELDS, type PostsAnswer, type UserView } from '../parts/views.ts'
import { findUser } from './find-user.ts'
import { pageKey } from './page-key.ts'
import { postsByIds } from './posts-by-ids.ts'
import { hiddenPosts, profileContent } from './profile-head.ts'

const SIZE = '30'

/** The posts of an answer, or why there are none. */
const shownPosts = async (page: PageRequest, user: UserView, answer: PostsAnswer, nothing: string): Promise<Html> =>
  answer.errors?.length && !answer.data ? hiddenPosts(user) : postList(page, answer, nothing)

/** A user and what the user posted. */
export const profilePage = definePeoplePage('profilePage', 'GET /{username}', async (page) => {
  const user = await findUser(page)
  await recordAct(page, 'profile', { userId: user.id })
  const posts = await page.need<PostsAnswer>(getUsersPosts, {
    path: { id: user.id },
    query: { ...POST_FIELDS, exclude: 'replies', max_results: SIZE, pagination_token: page.query.get('page') },
  })
  const pinned = page.query.has('page') ? '' : await pinnedPost(page, user)
  if (pinned !== '') posts.data = posts.data?.filter(({ id }) => id !== user.pinned_post_id)
  const nothing = pinned === '' ? 'There are no posts yet.' : 'There are no other posts yet.'
  return profileContent(page, user, '', html`${pinned}${await shownPosts(page, user, posts, nothing)}`)
})

async function pinnedPost(page: PageRequest, user: UserView): Promise<Html | ''> {
  if (user.pinned_post_id === undefined) return ''
  const answer = await postsByIds(page, [user.pinned_post_id])
  const [post] = joinPosts(answer.data ?? [], answer.includes)
  if (!post) return ''
  const [marks] = await Promise.all([readMarks(page, [post]), readExtras(page, [post])])
  return html`<p class="above pinned soft">${icon('pin')}Pinned</p>${postCard(page, post, marks)}`
}

export const profileRepliesPage = definePeoplePage(
  'profileRepliesPage',
  'GET /{username}/with_replies',
  async (page) => {
    const user = await findUser(page)
    const posts = await page.need<PostsAnswer>(getUsersPosts, {
      path: { id: user.id },
      query: { ...POST_FIELDS, max_results: SIZE, pagination_token: page.query.get('page') },
    })
    return profileContent(page, user, '/with_replies', await shownPosts(page, user, posts, 'There are no posts yet.'))
  },
)

/** The own posts of a user with media, before an id. No operation lists them for every viewer. */
const postsWithMedia = statement(
  'page_posts_with_media',
  { id: 'int8' },
  `select id from post
    where author_id = $1 and id < $2 and media_keys <> '{}' and reposted_post_id is null and not superseded and not nullcast and sandbox is null
      and (community_id is null or share_with_followers)
    order by id desc limit $3`,
)
const MEDIA_SIZE = 24

export const profileMediaPage = definePeoplePage('profileMediaPage', 'GET /{username}/media', async (page) => {
  const user = await findUser(page)
  const rows = await postsWithMedia.all(page.runtime.database, user.id, pageKey(page) ?? LARGEST_ID, MEDIA_SIZE + 1)
  const ids = rows.slice(0, MEDIA_SIZE).map(({ id }) => id)
  const answer = await postsByIds(page, ids)
  const meta = rows.length > MEDIA_SIZE ? { next_token: ids.at(-1) } : {}
  const isHidden = ids.length > 0 && !answer.data
  const shown = isHidden
    ? hiddenPosts(user)
    : await postList(page, { ...answer, meta }, 'There are no pictures or videos yet.')
  return profileContent(page, user, '/media', shown)
})

/** What the viewer liked. Nobody sees it of others. */
export const profileLikesPage = defineSignedInPage('profileLikesPage', 'GET /{username}/likes', async (page) => {
  const user = await findUser(page)
  if (user.id !== page.viewer.id) throw new HiddenFromViewer('list of likes')
  const posts = await page.need<PostsAnswer>(getUsersLikedPosts, {
    path: { id: user.id },
    query: { ...POST_FIELDS, max_results: SIZE, pagination_token: page.query.get('page') },
  })
  return profileContent(page, user, '/likes', await postList(page, posts, 'You have not liked anything yet.'))
})
