import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { createSpace } from '../../social/spaces/create-space.ts'
import { getSpacesByCreatorIds, getSpacesById, searchSpaces } from '../../social/spaces/read-spaces.ts'
import { endSpace, startSpace } from '../../social/spaces/run-space.ts'
import { joinSpace, leaveSpace, setReminder } from '../../social/spaces/take-part.ts'
import { type ActionRequest, defineAction, defineSignedInPage } from '../define-page.ts'
import { type SignedInRequest, shownObject } from '../page-request.ts'
import { actionForm } from '../parts/action-form.ts'
import { pageForm, textField } from '../parts/form.ts'
import { exactMoment } from '../parts/moment.ts'

/** A space as version 2 shows one. */
export interface SpaceView {
  id: string
  state: string
  title?: string
  creator_id?: string
  participant_count?: number
  scheduled_start?: string
}
interface SpacesAnswer<T = SpaceView[]> {
  data?: T
  errors?: { type?: string }[]
}

const FIELDS = { 'space.fields': 'creator_id,participant_count,scheduled_start,state,title' } as const

const spacesPage = defineSignedInPage('spacesPage', 'GET /i/spaces', async (page) => {
  const words = page.query.get('q')?.trim() ?? ''
  const own = await page.need<SpacesAnswer>(getSpacesByCreatorIds, { query: { ...FIELDS, user_ids: page.viewer.id } })
  const found =
    words === ''
      ? undefined
      : await page.call<SpacesAnswer>(searchSpaces, { query: { ...FIELDS, query: words.slice(0, 500) } })
  return {
    title: 'Spaces',
    main: html`<h1 class="top">Spaces</h1>
<nav class="tabs" aria-label="Communities and spaces"><a href="${page.runtime.mount}/i/communities">Communities</a><a href="${page.runtime.mount}/i/spaces" aria-current="page">Spaces</a></nav>
<form class="fields" method="get" action="${page.runtime.mount}/i/spaces" role="search">${textField({ name: 'q', label: 'Find a space', value: words, most: 500 })}<div><button class="button" type="submit">Search</button></div></form>
${found ? html`<h2 class="top">Found</h2>${itemsOf(page, found.body.data ?? [], 'No space has these words.')}` : ''}
<h2 class="top">Your spaces</h2>
${itemsOf(page, own.data ?? [], 'You have no spaces.')}
<h2 class="top">New space</h2>
<p class="soft fields">A space is text only here: it has a title, people and posts that share it.</p>
${pageForm(page, { action: '/i/actions/space-create', content: html`${textField({ name: 'title', label: 'Title', most: 200, isRequired: true })}<div><label for="start">Start (UTC; empty: at once)</label><input id="start" name="start" type="datetime-local"></div>`, submit: 'Create the space' })}`,
  }
})

function itemsOf(page: SignedInRequest, items: readonly SpaceView[], nothing: string): Html {
  if (items.length === 0) return html`<p class="empty soft">${nothing}</p>`
  return html`<ul class="list plain" role="list">${items.map(
    (
      item,
    ) => html`<li class="card wide"><div class="line"><a class="name" href="${page.runtime.mount}/i/spaces/${item.id}"><bdi>${item.title ?? 'A space'}</bdi></a><span class="grow"></span>${spaceButtons(page, item)}</div>
<p class="soft small">${item.state === 'live' ? html`Live, ${item.participant_count ?? 0} listening` : item.scheduled_start ? html`Starts ${exactMoment(item.scheduled_start)}` : item.state}</p></li>
`,
  )}</ul>`
}

/** What a user can do with a space. */
export function spaceButtons(page: SignedInRequest, item: SpaceView): Html {
  const isOwn = item.creator_id === page.viewer.id
  const button = (action: string, text: string, classes = 'button small') =>
    actionForm(page, action, { space_id: item.id }, { text, classes, label: `${text}: ${item.title ?? 'space'}` })
  if (isOwn && item.state === 'scheduled') return button('space-start', 'Start', 'button small first')
  if (isOwn && item.state === 'live') return button('space-end', 'End', 'button small bad')
  if (item.state === 'live')
    return html`${button('space-join', 'Join', 'button small first')}${button('space-leave', 'Leave')}`
  return item.state === 'scheduled' ? button('space-remind', 'Remind me') : html``
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
    const draft = { creatorId: page.viewer.id, title, ...(scheduledStart ? { scheduledStart } : {}) }
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
]

export const spacePages: readonly Endpoint[] = [spacesPage, ...actions]
