import { type Html, html } from '../../identity/pages/html.ts'
import { webUrl } from '../../identity/pages/urls.ts'
import { unescapeMarkup } from '../../social/text/wire-text.ts'
import type { PageContent } from '../layout.ts'
import type { PageRequest } from '../page-request.ts'
import { describedHead } from '../parts/head.ts'
import { icon } from '../parts/icons.ts'
import { linkedText } from '../parts/linked-text.ts'
import { monthOf, shortNumber } from '../parts/moment.ts'
import { ownAddress } from '../parts/own-address.ts'
import { sideColumn } from '../parts/side-column.ts'
import { tabs } from '../parts/tabs.ts'
import { avatar, followButton, nameLink } from '../parts/user-card.ts'
import { userMenu } from '../parts/user-menu.ts'
import type { UserView } from '../parts/views.ts'

const TABS = [
  { tail: '', text: 'Posts' },
  { tail: '/with_replies', text: 'Replies' },
  { tail: '/media', text: 'Media' },
] as const

export type ProfileTab = '' | '/with_replies' | '/media' | '/likes'

/** A page of a profile: the user, the tabs, and what the tab shows. */
export async function profileContent(
  page: PageRequest,
  user: UserView,
  tab: ProfileTab,
  shown: Html,
): Promise<PageContent> {
  const title = `${user.name} (@${user.username})`
  const isOwn = page.viewer?.id === user.id
  const entries = [...TABS, ...(isOwn ? [{ tail: '/likes', text: 'Likes' }] : [])]
  return {
    title,
    aside: await sideColumn(page),
    isListed: !user.protected && tab === '',
    head: describedHead(page, {
      path: `/${user.username}`,
      title,
      description: unescapeMarkup(user.description ?? '') || `Posts of @${user.username}`,
      kind: 'profile',
      picture: user.profile_image_url,
    }),
    main: html`${profileHead(page, user)}
${tabs(
  page,
  'Profile',
  entries.map(({ tail, text }) => ({ path: `/${user.username}${tail}`, text, isCurrent: tail === tab })),
)}
${shown}`,
  }
}

function profileHead(page: PageRequest, user: UserView): Html {
  const { mount } = page.runtime
  const banner = ownAddress(page, user.profile_banner_url)
  const metrics = user.public_metrics
  const count = (number: number | undefined, what: string) => html`<b>${shortNumber(number ?? 0)}</b> ${what}`
  return html`<div class="profile">
${banner ? html`<img class="banner" src="${banner}" alt="" width="1500" height="500">` : html`<div class="banner"></div>`}
<div class="line">${avatar(page, user)}${followButton(page, user)}${userMenu(page, user)}</div>
<h1>${nameLink(user, mount)}</h1>
${user.connection_status?.includes('followed_by') ? html`<p class="soft small">Follows you</p>` : ''}
${user.description ? html`<p class="text" dir="auto">${linkedText(user.description, user.entities?.description, page)}</p>` : ''}
<p class="soft small facts">${user.location ? html`<span>${icon('place')}<bdi>${user.location}</bdi></span>` : ''}${website(page, user)}${user.created_at ? html`<span>${icon('calendar')}Joined ${monthOf(user.created_at)}</span>` : ''}</p>
<p class="small facts"><a href="${mount}/${user.username}/following">${count(metrics?.following_count, 'following')}</a> <a href="${mount}/${user.username}/followers">${count(metrics?.followers_count, metrics?.followers_count === 1 ? 'follower' : 'followers')}</a></p>
</div>`
}

function website(page: PageRequest, user: UserView): Html | '' {
  const link = user.entities?.url?.urls?.[0]
  if (!link || webUrl(link.expanded_url) === null) return ''
  return html`<span>${icon('link')}${linkedText(user.url ?? '', { urls: [link] }, page)}</span>`
}

/** What is said in place of posts that the viewer may not see. */
export function hiddenPosts(user: UserView): Html {
  const status = user.connection_status ?? []
  const why = status.includes('blocking')
    ? `You block @${user.username}.`
    : user.protected
      ? `Only followers of @${user.username} see these posts.`
      : `You may not see the posts of @${user.username}.`
  return html`<p class="empty soft">${why}</p>`
}
