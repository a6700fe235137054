import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { change } from '../../api-kit/runtime.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { isStorableId } from '../../process/ids.ts'
import { approveFollow, refuseFollow } from '../../social/follows/follow.ts'
import { MENTION_KINDS, readNotifications, seeNotifications } from '../../social/notifications/read-notifications.ts'
import { defineAction, defineSignedInPage } from '../define-page.ts'
import type { SignedInRequest } from '../page-request.ts'
import { nextPage } from '../parts/post-list.ts'
import { sideColumn } from '../parts/side-column.ts'
import { noticeCard } from './notice-card.ts'
import { readSubjects } from './notice-subjects.ts'

const PER_PAGE = 25

/** What others did that concerns the viewer, newest first. Whoever opens it has seen it. */
const notificationsPage = defineSignedInPage('notificationsPage', 'GET /notifications', async (page) => {
  const isMentions = page.query.get('show') === 'mentions'
  const groups = await readNotifications(page.runtime, page.viewer.id, {
    ...startOf(page.query.get('page')),
    limit: PER_PAGE + 1,
    ...(isMentions ? { kinds: MENTION_KINDS } : {}),
  })
  const shown = groups.slice(0, PER_PAGE)
  const subjects = await readSubjects(page, shown)
  if (!isMentions && shown[0]?.isNew) await seeNotifications(page.runtime, page.viewer.id, shown[0].sequence)
  const next = groups.length > PER_PAGE ? shown.at(-1)!.sequence : undefined
  return {
    title: 'Notifications',
    aside: await sideColumn(page),
    live: 'notifications',
    main: html`<h1 class="top">Notifications</h1>
${tabs(page, isMentions)}
${listOf(shown.flatMap((group) => noticeCard(page, group, subjects) ?? []))}
${nextPage(page, next)}`,
  }
})

function startOf(token: string | undefined): { before?: string } {
  if (token === undefined) return {}
  // Notices of the first world come before the log.
  if (!isStorableId(token.replace(/^-/, ''))) throw blank(404, 'This address has no page.')
  return { before: token }
}

const tabs = ({ runtime: { mount } }: SignedInRequest, isMentions: boolean): Html =>
  html`<nav class="tabs" aria-label="Notifications"><a href="${mount}/notifications"${isMentions ? '' : html` aria-current="page"`}>All</a><a href="${mount}/notifications?show=mentions"${isMentions ? html` aria-current="page"` : ''}>Mentions</a></nav>`

const listOf = (cards: readonly Html[]): Html =>
  cards.length === 0
    ? html`<p class="empty soft">When somebody likes, answers or follows, it is said here.</p>`
    : html`<div class="list">${cards}</div>`

/** Answers a request to follow the viewer. */
const answerAction = (name: 'approve' | 'refuse'): Endpoint =>
  defineAction(`${name}FollowAction`, `POST /i/actions/${name}-follow`, async (page) => {
    const sourceId = page.form.get('user_id') ?? ''
    if (!isStorableId(sourceId)) throw blank(400, 'user_id is not the id of a user.')
    const pair = { sourceId, targetId: page.viewer.id }
    const isFound = await change(page.runtime, (tx, invalidate) =>
      name === 'approve' ? approveFollow(tx, invalidate, page.runtime, pair) : refuseFollow(tx, invalidate, pair),
    )
    if (!isFound) throw blank(404, 'There is no such request any more.')
    return undefined
  })

export const notificationPages: readonly Endpoint[] = [
  notificationsPage,
  answerAction('approve'),
  answerAction('refuse'),
]
