import { html } from '../../identity/pages/html.ts'
import { getUsersFollowers, getUsersFollowing } from '../../social/follows/read-follows.ts'
import { definePeoplePage } from '../define-page.ts'
import { tabs } from '../parts/tabs.ts'
import { nameLink } from '../parts/user-card.ts'
import { type UsersAnswer, userList } from '../parts/user-list.ts'
import { USER_FIELDS } from '../parts/views.ts'
import { findUser } from './find-user.ts'
import { hiddenPosts } from './profile-head.ts'

const LISTS = [
  { tail: 'followers', text: 'Followers', operation: getUsersFollowers, nothing: 'There are no followers yet.' },
  { tail: 'following', text: 'Following', operation: getUsersFollowing, nothing: 'There is nobody yet.' },
] as const

/** Who follows a user, and whom the user follows. */
export const followPages = LISTS.map(({ tail, text, operation, nothing }) =>
  definePeoplePage(`${tail}Page`, `GET /{username}/${tail}`, async (page) => {
    const user = await findUser(page)
    const answer = await page.need<UsersAnswer>(operation, {
      path: { id: user.id },
      query: { ...USER_FIELDS, max_results: '50', pagination_token: page.query.get('page') },
    })
    return {
      title: `${text} of @${user.username}`,
      main: html`<h1 class="top">${nameLink(user, page.runtime.mount)}</h1>
${tabs(
  page,
  'Followers and following',
  LISTS.map((list) => ({ path: `/${user.username}/${list.tail}`, text: list.text, isCurrent: list.tail === tail })),
)}
${answer.errors?.length && !answer.data ? hiddenPosts(user) : userList(page, answer, nothing)}`,
    }
  }),
)
