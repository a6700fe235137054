import { type Html, html } from '../../identity/pages/html.ts'
import { conversationOf } from '../../social/messages/conversation-id.ts'
import type { NotificationKind } from '../../social/notifications/notification.statements.ts'
import type { NotificationGroup } from '../../social/notifications/read-notifications.ts'
import type { SignedInRequest } from '../page-request.ts'
import { actionForm } from '../parts/action-form.ts'
import { type IconName, icon } from '../parts/icons.ts'
import { moment } from '../parts/moment.ts'
import { plainText } from '../parts/plain-text.ts'
import { postCard, postPath } from '../parts/post-card.ts'
import { avatar } from '../parts/user-card.ts'
import type { PostView, UserView } from '../parts/views.ts'
import { PICTURED, type Subjects } from './notice-subjects.ts'

const ICONS: Record<NotificationKind, IconName> = {
  like: 'like',
  repost: 'repost',
  reply: 'reply',
  quote: 'quote',
  mention: 'reply',
  follow: 'person',
  follow_request: 'lock',
  follow_approval: 'person',
  list_add: 'list',
  message_request: 'mail',
  note: 'quote',
  community_invite: 'people',
}

/** A notice, or several of a kind as one. Undefined where what it is about cannot be shown to the viewer. */
export function noticeCard(page: SignedInRequest, group: NotificationGroup, subjects: Subjects): Html | undefined {
  const post = group.postId === null ? undefined : subjects.posts.get(group.postId)
  if (group.postId !== null && !post) return undefined
  if (group.kind === 'reply' || group.kind === 'quote' || group.kind === 'mention')
    return html`<div class="notice-post${group.isNew ? ' new' : ''}">${postCard(page, post!, subjects.marks)}</div>`
  const users = group.actorIds.slice(0, PICTURED).flatMap((id) => subjects.users.get(id) ?? [])
  const isAnonymous = group.kind === 'note'
  if (users.length === 0 && !isAnonymous) return undefined
  return html`<article class="card notice${group.isNew ? ' new' : ''}">
<div class="kind">${icon(ICONS[group.kind])}</div>
<div class="body">
${isAnonymous ? '' : html`<div class="faces">${users.map((user) => html`<a href="${page.runtime.mount}/${user.username}" tabindex="-1" aria-hidden="true">${avatar(page, user)}</a>`)}</div>`}
<p>${isAnonymous ? '' : namesOf(page, users, group.actorCount)}${sentenceOf(page, group, subjects)} <span class="soft when">${moment(group.happenedAt.toISOString(), page.now)}</span>${group.isNew ? html`<span class="unseen"> New</span>` : ''}</p>
${post ? excerpt(page, post) : ''}
${group.kind === 'follow_request' ? answers(page, users[0]!) : ''}
</div>
</article>`
}

function namesOf({ runtime }: SignedInRequest, users: readonly UserView[], count: number): Html {
  const named = users
    .slice(0, count > 3 ? 2 : 3)
    .map((user) => html`<a class="name" href="${runtime.mount}/${user.username}"><bdi>${user.name}</bdi></a>`)
  const others = count - named.length
  const all = others > 0 ? [...named, html`${others} ${others === 1 ? 'other' : 'others'}`] : named
  return html`${all.map((part, index) => html`${index === 0 ? '' : index === all.length - 1 ? ' and ' : ', '}${part}`)} `
}

function sentenceOf({ runtime, viewer }: SignedInRequest, group: NotificationGroup, subjects: Subjects): Html | string {
  const { mount } = runtime
  const nameOfObject = subjects.names.get(group.objectId)
  switch (group.kind) {
    case 'like':
      return 'liked your post'
    case 'repost':
      return 'reposted your post'
    case 'follow':
      return 'followed you'
    case 'follow_request':
      return 'asks to follow you'
    case 'follow_approval':
      return 'accepted your request to follow'
    case 'list_add':
      return html`added you to the list <a href="${mount}/i/lists/${group.objectId}"><bdi>${nameOfObject ?? 'a list'}</bdi></a>`
    case 'message_request':
      return html`wants to <a href="${mount}/messages/${conversationOf(viewer.id, group.objectId)}">send you a message</a>`
    case 'community_invite':
      return html`invited you to <a href="${mount}/i/communities/${group.objectId}"><bdi>${nameOfObject ?? 'a community'}</bdi></a>`
    default:
      return 'Readers added a note to your post'
  }
}

const EXCERPT = 140

function excerpt({ runtime }: SignedInRequest, post: PostView): Html {
  const text = plainText(post, 'shown')
  const points = [...text]
  const shown = points.length > EXCERPT ? `${points.slice(0, EXCERPT).join('')}…` : text
  return html`<p class="soft text"><a class="plain" href="${runtime.mount}${postPath(post)}">${shown}</a></p>`
}

const answers = (page: SignedInRequest, user: UserView): Html =>
  html`<div class="line">${actionForm(page, 'approve-follow', { user_id: user.id }, { text: 'Accept', classes: 'button small first', label: `Accept the request of @${user.username}` })}${actionForm(page, 'refuse-follow', { user_id: user.id }, { text: 'Decline', classes: 'button small', label: `Decline the request of @${user.username}` })}</div>`
