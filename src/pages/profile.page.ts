import { html } from '../identity/pages/html.ts'
import { getUsersPosts } from '../social/timelines/read-timelines.ts'
import { getUsersByUsername } from '../social/users/read-users.ts'
import { definePeoplePage } from './define-page.ts'
import { shownObject } from './page-request.ts'
import { icon } from './parts/icons.ts'
import { linkedText } from './parts/linked-text.ts'
import { exactMoment, shortNumber } from './parts/moment.ts'
import { postList } from './parts/post-list.ts'
import { avatar, followButton, nameLink, ownAddress } from './parts/user-card.ts'
import { POST_FIELDS, type PostsAnswer, USER_FIELDS, type UserView } from './parts/views.ts'

/** A user and what the user posted. */
export const profilePage = definePeoplePage('profilePage', 'GET /{username}', async (page) => {
  const { runtime, path } = page
  const { mount } = runtime
  const answer = await page.need<{ data?: UserView; errors?: { type?: string }[] }>(getUsersByUsername, {
    path: { username: path.username ?? '' },
    query: USER_FIELDS,
  })
  const user = shownObject(answer, 'user')
  const posts = await page.call<PostsAnswer>(getUsersPosts, {
    path: { id: user.id },
    query: { ...POST_FIELDS, exclude: 'replies', pagination_token: page.query.get('page') },
  })
  const banner = ownAddress(page, user.profile_banner_url)
  const metrics = user.public_metrics
  return {
    title: `${user.name} (@${user.username})`,
    isListed: true,
    main: html`<div class="profile">
${banner ? html`<img class="banner" src="${banner}" alt="" width="1500" height="500">` : html`<div class="banner"></div>`}
<div class="line">${avatar(page, user)}${followButton(page, user)}</div>
<h1>${nameLink(user, mount)}</h1>
${user.description ? html`<p class="text" dir="auto">${linkedText(user.description, user.entities?.description, mount)}</p>` : ''}
<p class="soft small facts">${user.location ? html`<span>${icon('place')}${user.location}</span>` : ''}${user.created_at ? html`<span>${icon('calendar')}Joined ${exactMoment(user.created_at)}</span>` : ''}</p>
<p class="small facts"><a href="${mount}/${user.username}/following"><b>${shortNumber(metrics?.following_count ?? 0)}</b> following</a> <a href="${mount}/${user.username}/followers"><b>${shortNumber(metrics?.followers_count ?? 0)}</b> followers</a></p>
</div>
${posts.status < 400 ? await postList(page, posts.body, 'There are no posts yet.') : html`<p class="empty soft">${posts.reason}</p>`}`,
  }
})
