import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { isStorableId } from '../../process/ids.ts'
import { communitiesOfUser } from '../../social/communities/community.statements.ts'
import { addCommunity } from '../../social/communities/create-community.ts'
import { answerRequest, inviteToCommunity, joinCommunity, leaveCommunity } from '../../social/communities/membership.ts'
import { getCommunitiesById, searchCommunities } from '../../social/communities/read-communities.ts'
import { getUsersByUsername } from '../../social/users/read-users.ts'
import { type ActionRequest, defineAction, defineSignedInPage } from '../define-page.ts'
import type { SignedInRequest } from '../page-request.ts'
import { actionForm } from '../parts/action-form.ts'
import { pageForm, textField, tickBox } from '../parts/form.ts'
import { nextPage } from '../parts/post-list.ts'
import { policyField, readPolicy } from './community-team.ts'
import type { CommunityView } from './community-view.ts'

const FIELDS = { 'community.fields': 'access,created_at,description,join_policy,member_count,name' } as const
const MOST_SHOWN = 100

const communitiesPage = defineSignedInPage('communitiesPage', 'GET /i/communities', async (page) => {
  const words = page.query.get('q')?.trim() ?? ''
  const rows = await communitiesOfUser.all(page.runtime.database, page.viewer.id, MOST_SHOWN)
  const mine = await Promise.all(rows.map((row) => readCommunity(page, row.id)))
  const states = new Map(rows.map((row) => [row.id, row.state]))
  const found =
    words === ''
      ? undefined
      : await page.call<{ data?: CommunityView[]; meta?: { next_token?: string } }>(searchCommunities, {
          query: { ...FIELDS, query: words.slice(0, 500), next_token: page.query.get('page') },
        })
  return {
    title: 'Communities',
    main: html`<h1 class="top">Communities</h1>
<nav class="tabs" aria-label="Communities and spaces"><a href="${page.runtime.mount}/i/communities" aria-current="page">Communities</a><a href="${page.runtime.mount}/i/spaces">Spaces</a></nav>
<form class="fields" method="get" action="${page.runtime.mount}/i/communities" role="search">${textField({ name: 'q', label: 'Find a community', value: words, most: 500 })}<div><button class="button" type="submit">Search</button></div></form>
${found ? html`<h2 class="top">Found</h2>${itemsOf(page, found.body.data ?? [], states, 'No community has these words.')}${nextPage(page, found.body.meta?.next_token)}` : ''}
<h2 class="top">Your communities</h2>
${itemsOf(
  page,
  mine.flatMap((item) => item ?? []),
  states,
  'You are in no community yet.',
)}
<h2 class="top">New community</h2>
${pageForm(page, { action: '/i/actions/community-create', content: html`${textField({ name: 'name', label: 'Name', most: 30, isRequired: true })}${textField({ name: 'description', label: 'Description', most: 160, isLong: true })}${policyField()}${tickBox('closed', 'Only members see the posts', false)}`, submit: 'Create the community' })}`,
  }
})

async function readCommunity(page: SignedInRequest, id: string): Promise<CommunityView | undefined> {
  return (await page.call<{ data?: CommunityView }>(getCommunitiesById, { path: { id }, query: FIELDS })).body.data
}

function itemsOf(
  page: SignedInRequest,
  items: readonly CommunityView[],
  states: ReadonlyMap<string, string>,
  nothing: string,
): Html {
  if (items.length === 0) return html`<p class="empty soft">${nothing}</p>`
  return html`<ul class="list plain" role="list">${items.map(
    (
      item,
    ) => html`<li class="card wide"><div class="line"><a class="name" href="${page.runtime.mount}/i/communities/${item.id}"><bdi>${item.name}</bdi></a>${item.access === 'Closed' ? html`<span class="soft small">closed</span>` : ''}<span class="grow"></span>${communityButtons(page, item, states.get(item.id))}</div>
${item.description ? html`<p class="text">${item.description}</p>` : ''}<p class="soft small">${item.member_count ?? 0} ${item.member_count === 1 ? 'member' : 'members'}</p></li>
`,
  )}</ul>`
}

/** What a user can do with a community: join or leave it, and post in it. */
export function communityButtons(page: SignedInRequest, item: CommunityView, state: string | undefined): Html {
  const button = (action: string, text: string, classes = 'button small') =>
    actionForm(page, action, { community_id: item.id }, { text, classes, label: `${text}: ${item.name}` })
  if (state === 'requested') return button('community-leave', 'Withdraw the request')
  if (state === 'invited')
    return html`${button('community-join', 'Accept the invitation', 'button small first')}${button('community-leave', 'Decline')}`
  if (state === undefined)
    return mayJoin(item)
      ? button('community-join', asksFirst(item) ? 'Ask to join' : 'Join', 'button small first')
      : html``
  return html`<a class="button small" href="${page.runtime.mount}/i/compose?community=${item.id}" aria-label="Post in ${item.name}">Post</a>${button('community-leave', 'Leave')}`
}

const asksFirst = ({ join_policy: policy }: CommunityView): boolean =>
  policy?.includes('RequireA') === true || policy?.includes('RequireM') === true
const mayJoin = (item: CommunityView): boolean =>
  item.join_policy === undefined || item.join_policy === 'Open' || asksFirst(item)

const communityOf = ({ form }: ActionRequest): string => form.get('community_id') ?? ''

async function findUserId(page: ActionRequest): Promise<string> {
  const username = (page.form.get('username') ?? '').replace(/^@/, '')
  const answer = await page.need<{ data?: { id: string } }>(getUsersByUsername, { path: { username } })
  if (!answer.data) throw blank(404, `There is no user @${username}.`)
  return answer.data.id
}

const actions: readonly Endpoint[] = [
  defineAction('communityCreateAction', 'POST /i/actions/community-create', async (page) => {
    const name = (page.form.get('name') ?? '').trim()
    const description = (page.form.get('description') ?? '').trim()
    if (name === '' || [...name].length > 30) throw blank(400, 'The name of a community has 1 to 30 characters.')
    if ([...description].length > 160) throw blank(400, 'The description of a community has at most 160 characters.')
    const access = page.form.get('closed') === 'true' ? 'Closed' : 'Public'
    const joinPolicy = readPolicy(page.form.get('join_policy'))
    const draft = { creatorId: page.viewer.id, name, description, access, ...(joinPolicy ? { joinPolicy } : {}) }
    const id = await addCommunity(page.runtime, draft)
    return { to: `/i/communities/${id}` }
  }),
  defineAction('communityJoinAction', 'POST /i/actions/community-join', async (page) => {
    await joinCommunity(page.runtime, communityOf(page), page.viewer.id)
    return undefined
  }),
  defineAction('communityLeaveAction', 'POST /i/actions/community-leave', async (page) => {
    await leaveCommunity(page.runtime, communityOf(page), page.viewer.id)
    return undefined
  }),
  defineAction('communityInviteAction', 'POST /i/actions/community-invite', async (page) => {
    await inviteToCommunity(page.runtime, communityOf(page), page.viewer.id, await findUserId(page))
    return undefined
  }),
  defineAction('communityAnswerAction', 'POST /i/actions/community-answer', async (page) => {
    const isApproved = page.form.get('answer') === 'approve'
    const userId = page.form.get('user_id') ?? ''
    if (!isStorableId(userId)) throw blank(404, 'There is no such user.')
    await answerRequest(page.runtime, communityOf(page), page.viewer.id, userId, isApproved)
    return undefined
  }),
]

export const communityPages: readonly Endpoint[] = [communitiesPage, ...actions]
