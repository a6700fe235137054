import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { createSpace } from '../../social/spaces/create-space.ts'
import { getSpacesByCreatorIds, getSpacesById, searchSpaces } from '../../social/spaces/read-spaces.ts'
import { endSpace, startSpace } from '../../social/spaces/run-space.ts'
import { partsInSpaces } from '../../social/spaces/space.statements.ts'
import { buyTicket, joinSpace, leaveSpace, setReminder } from '../../social/spaces/take-part.ts'
import { type ActionRequest, defineAction, defineSignedInPage } from '../define-page.ts'
import { type SignedInRequest, shownObject } from '../page-request.ts'
import { actionForm } from '../parts/action-form.ts'
import { pageForm, textField, tickBox } from '../parts/form.ts'
import { exactMoment } from '../parts/moment.ts'

/** A space as version 2 shows one. */
export interface SpaceView {
  id: string
  state: string
  title?: string
  creator_id?: string
  participant_count?: number
  scheduled_start?: string
  is_ticketed?: boolean
  host_ids?: string[]
}

/** What the viewer has to do with a space. */
interface OwnPart {
  is_in: boolean
  has_reminder: boolean
  has_ticket: boolean
}
export type OwnParts = ReadonlyMap<string, OwnPart>

interface SpacesAnswer<T = SpaceView[]> {
  data?: T
  errors?: { type?: string }[]
}

const FIELDS = {
  'space.fields': 'creator_id,host_ids,is_ticketed,participant_count,scheduled_start,state,title',
} as const

const spacesPage = defineSignedInPage('spacesPage', 'GET /i/spaces', async (page) => {
  const words = page.query.get('q')?.trim() ?? ''
  const own = await page.need<SpacesAnswer>(getSpacesByCreatorIds, { query: { ...FIELDS, user_ids: page.viewer.id } })
  const found =
    words === ''
      ? undefined
      : await page.call<SpacesAnswer>(searchSpaces, { query: { ...FIELDS, query: words.slice(0, 500) } })
  const parts = await readParts(page, [...(own.data ?? []), ...(found?.body.data ?? [])])
  return {
    title: 'Spaces',
    main: html`<h1 class="top">Spaces</h1>
<nav class="tabs" aria-label="Communities and spaces"><a href="${page.runtime.mount}/i/communities">Communities</a><a href="${page.runtime.mount}/i/spaces" aria-current="page">Spaces</a></nav>
<form class="fields" method="get" action="${page.runtime.mount}/i/spaces" role="search">${textField({ name: 'q', label: 'Find a space', value: words, most: 500 })}<div><button class="button" type="submit">Search</button></div></form>
${found ? html`<h2 class="top">Found</h2>${itemsOf(page, found.body.data ?? [], parts, 'No space has these words.')}` : ''}
<h2 class="top">Your spaces</h2>
${itemsOf(page, own.data ?? [], parts, 'You have no spaces.')}
<h2 class="top">New space</h2>
<p class="soft fields">A space is text only here: it has a title, people and posts that share it.</p>
${pageForm(page, { action: '/i/actions/space-create', content: html`${textField({ name: 'title', label: 'Title', most: 200, isRequired: true })}<div><label for="start">Start (UTC; empty: at once)</label><input id="start" name="start" type="datetime-local"></div>${tickBox('ticketed', 'Listeners need a ticket', false)}`, submit: 'Create the space' })}`,
  }
})

function itemsOf(page: SignedInRequest, items: readonly SpaceView[], parts: OwnParts, nothing: string): Html {
  if (items.length === 0) return html`<p class="empty soft">${nothing}</p>`
  return html`<ul class="list plain" role="list">${items.map(
    (
      item,
    ) => html`<li class="card wide"><div class="line"><a class="name" href="${page.runtime.mount}/i/spaces/${item.id}"><bdi>${item.title ?? 'A space'}</bdi></a><span class="grow"></span>${spaceButtons(page, item, parts)}</div>
<p class="soft small">${item.state === 'live' ? html`Live, ${item.participant_count ?? 0} listening` : item.scheduled_start ? html`Starts ${exactMoment(item.scheduled_start)}` : item.state}</p></li>
`,
  )}</ul>`
}

/** Reads what the viewer has to do with spaces, with one statement. */
export async function readParts({ runtime, viewer }: SignedInRequest, spaces: readonly SpaceView[]): Promise<OwnParts> {
  const ids = [...new Set(spaces.map((space) => space.id))]
  if (ids.length === 0) return new Map()
  const rows = await partsInSpaces.all(runtime.database, viewer.id, ids)
  return new Map(rows.map((row) => [row.id, row]))
}

const NO_PART: OwnPart = { is_in: false, has_reminder: false, has_ticket: false }

/** What a user can do with a space. */
export function spaceButtons(page: SignedInRequest, item: SpaceView, parts: OwnParts): Html {
  const isOwn = item.creator_id === page.viewer.id
  const part = parts.get(item.id) ?? NO_PART
  const button = (action: string, text: string, classes = 'button small') =>
    actionForm(page, action, { space_id: item.id }, { text, classes, label: `${text}: ${item.title ?? 'space'}` })
  if (isOwn && item.state === 'scheduled') return button('space-start', 'Start', 'button small first')
  if (isOwn && item.state === 'live') return button('space-end', 'End', 'button small bad')
  if (item.state !== 'live' && item.state !== 'scheduled') return html``
  if (item.state === 'live' && part.is_in) return button('space-leave', 'Leave')
  const needsTicket = item.is_ticketed && !part.has_ticket && !item.host_ids?.includes(page.viewer.id)
  const ticket = needsTicket
    ? button('space-ticket', 'Get a ticket', 'button small first')
    : part.has_ticket
      ? html`<span class="soft small">You have a ticket</span>`
      : ''
  const next =
    item.state === 'scheduled'
      ? part.has_reminder
        ? button('space-unremind', 'Remove the reminder')
        : button('space-remind', 'Remind me')
      : needsTicket
        ? ''
        : button('space-join', 'Join', 'button small first')
  return html`${ticket}${next}`
}

const spaceOf = ({ form }: ActionRequest): string => form.get('space_id') ?? ''

/** Refuses what only the creator may do. */
async function checkOwn(page: ActionRequest): Promise<string> {
  const answer = await page.need<SpacesAnswer<SpaceView>>(getSpacesById, { path: { id: spaceOf(page) }, query: FIELDS })
  const space = shownObject(answer, 'space')
  if (space.creator_id !== page.viewer.id) throw blank(403, 'Only its creator can do this.')
  return space.id
}

function readStart(text: string | undefined): Date | undefined {
  if (text === undefined || text === '') return undefined
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN
  if (Number.isNaN(ms)) throw blank(400, 'The start is not a date and a time.')
  return new Date(ms)
}

const actions: readonly Endpoint[] = [
  defineAction('spaceCreateAction', 'POST /i/actions/space-create', async (page) => {
    const title = (page.form.get('title') ?? '').trim()
    if (title === '' || title.length > 200) throw blank(400, 'The title of a space has 1 to 200 characters.')
    const scheduledStart = readStart(page.form.get('start'))
    const isTicketed = page.form.get('ticketed') === 'true'
    const draft = { creatorId: page.viewer.id, title, isTicketed, ...(scheduledStart ? { scheduledStart } : {}) }
    return { to: `/i/spaces/${await createSpace(page.runtime, draft)}` }
  }),
  defineAction('spaceStartAction', 'POST /i/actions/space-start', async (page) => {
    await startSpace(page.runtime, await checkOwn(page))
    return undefined
  }),
  defineAction('spaceEndAction', 'POST /i/actions/space-end', async (page) => {
    await endSpace(page.runtime, await checkOwn(page))
    return { to: '/i/spaces' }
  }),
  defineAction('spaceJoinAction', 'POST /i/actions/space-join', async (page) => {
    await joinSpace(page.runtime, spaceOf(page), page.viewer.id)
    return undefined
  }),
  defineAction('spaceLeaveAction', 'POST /i/actions/space-leave', async (page) => {
    await leaveSpace(page.runtime, spaceOf(page), page.viewer.id)
    return undefined
  }),
  defineAction('spaceRemindAction', 'POST /i/actions/space-remind', async (page) => {
    await setReminder(page.runtime, spaceOf(page), page.viewer.id, true)
    return undefined
  }),
  defineAction('spaceUnremindAction', 'POST /i/actions/space-unremind', async (page) => {
    await setReminder(page.runtime, spaceOf(page), page.viewer.id, false)
    return undefined
  }),
  defineAction('spaceTicketAction', 'POST /i/actions/space-ticket', async (page) => {
    await buyTicket(page.runtime, spaceOf(page), page.viewer.id)
    return undefined
  }),
]

export const spacePages: readonly Endpoint[] = [spacesPage, ...actions]
