import { type Html, html } from '../../identity/pages/html.ts'
import { adQuery, type PageRequest } from '../page-request.ts'
import { actionForm } from './action-form.ts'
import { icon } from './icons.ts'
import { linkedText } from './linked-text.ts'
import { ownAddress } from './own-address.ts'
import type { UserView } from './views.ts'

/** The picture of a user; without one of our own the picture that is drawn for the id. */
export function avatar(page: PageRequest, user: { id: string; profile_image_url?: string | null }): Html {
  const picture =
    ownAddress(page, user.profile_image_url ?? undefined) ??
    `${page.runtime.mount}/profile_images/${user.id}/default_normal.png`
  return html`<img class="face" src="${picture}" alt="" width="48" height="48" loading="lazy">`
}

/** The name and the username, as a link to the profile. */
export const nameLink = (user: UserView, mount: string, query = ''): Html =>
  html`<a class="name" href="${mount}/${user.username}${query}"><bdi>${user.name}</bdi>${user.verified ? html`<span class="mark" title="Verified">${icon('verified')}<span class="unseen">Verified</span></span>` : ''}${user.protected ? html`<span class="mark" title="Protected">${icon('lock')}<span class="unseen">Protected</span></span>` : ''} <span class="soft">@${user.username}</span></a>`

/** A user in a list. */
export function userCard(page: PageRequest, user: UserView): Html {
  const { mount } = page.runtime
  return html`<article class="card user" aria-label="${user.name}">
${page.ad === undefined ? '' : html`<p class="above soft">Promoted</p>`}<a class="pic" href="${mount}/${user.username}${adQuery(page)}" tabindex="-1" aria-hidden="true">${avatar(page, user)}</a>
<div class="body">
<div class="line">${nameLink(user, mount, adQuery(page))}${followButton(page, user)}</div>
${user.description ? html`<p class="text">${linkedText(user.description, user.entities?.description, page)}</p>` : ''}
</div>
</article>`
}

/** The button that follows a user, or ends that. */
export function followButton(page: PageRequest, user: UserView): Html | '' {
  if (!page.viewer || page.viewer.id === user.id) return ''
  const status = user.connection_status ?? []
  const isFollowing = status.includes('following')
  const isAsked = status.includes('follow_request_sent')
  return actionForm(
    page,
    isFollowing || isAsked ? 'unfollow' : 'follow',
    { user_id: user.id },
    {
      text: isFollowing ? 'Following' : isAsked ? 'Requested' : 'Follow',
      classes: isFollowing || isAsked ? 'button small' : 'button small first',
      label: `${isFollowing || isAsked ? 'Unfollow' : 'Follow'} @${user.username}`,
    },
  )
}
