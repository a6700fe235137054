import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { followList, unfollowList } from '../../social/lists/follow-lists.ts'
import { addListsMember, getListsMembers, removeListsMemberByUserId } from '../../social/lists/list-members.ts'
import { getUsersFollowedLists, getUsersOwnedLists } from '../../social/lists/lists-of-users.ts'
import { createLists, deleteLists, getListsById, updateLists } from '../../social/lists/manage-lists.ts'
import { getUsersPinnedLists, pinList, unpinList } from '../../social/lists/pin-lists.ts'
import { getUsersByUsername } from '../../social/users/read-users.ts'
import { type ActionRequest, defineAction, defineSignedInPage } from '../define-page.ts'
import { type SignedInRequest, shownObject } from '../page-request.ts'
import { actionForm } from '../parts/action-form.ts'
import { pageForm, textField, tickBox } from '../parts/form.ts'
import { nextPage } from '../parts/post-list.ts'
import { avatar, nameLink } from '../parts/user-card.ts'
import { USER_FIELDS, type UserView } from '../parts/views.ts'

/** A list as version 2 shows one. */
interface ListView {
  id: string
  name: string
  description?: string
  private?: boolean
  member_count?: number
  owner_id?: string
}
interface ListsAnswer<T = ListView[]> {
  data?: T
  meta?: { next_token?: string }
  errors?: { type?: string }[]
}

const LIST_FIELDS = { 'list.fields': 'description,member_count,owner_id,private' } as const

const listsPage = defineSignedInPage('listsPage', 'GET /i/lists', async (page) => {
  const path = { id: page.viewer.id }
  const [owned, followed, pinned] = await Promise.all([
    page.need<ListsAnswer>(getUsersOwnedLists, {
      path,
      query: { ...LIST_FIELDS, max_results: '50', pagination_token: page.query.get('page') },
    }),
    page.need<ListsAnswer>(getUsersFollowedLists, { path, query: { ...LIST_FIELDS, max_results: '50' } }),
    page.need<ListsAnswer>(getUsersPinnedLists, { path, query: LIST_FIELDS }),
  ])
  const pins = new Set(pinned.data?.map((list) => list.id))
  const section = (title: string, lists: readonly ListView[] | undefined, nothing: string) =>
    html`<h2 class="top">${title}</h2>${lists?.length ? html`<ul class="list plain" role="list">${lists.map((list) => listItem(page, list, pins.has(list.id)))}</ul>` : html`<p class="empty soft">${nothing}</p>`}`
  return {
    title: 'Lists',
    main: html`<h1 class="top">Lists</h1>
${pinned.data?.length ? section('Pinned', pinned.data, '') : ''}
${section('Your lists', owned.data, 'You have no lists yet.')}
${nextPage(page, owned.meta?.next_token)}
${section('Lists that you follow', followed.data, 'You follow no lists.')}
<h2 class="top">New list</h2>
${pageForm(page, { action: '/i/actions/list-create', content: listFields(), submit: 'Create the list' })}`,
  }
})

function listItem(page: SignedInRequest, list: ListView, isPinned: boolean): Html {
  const { mount } = page.runtime
  return html`<li class="card wide"><div class="line"><a class="name" href="${mount}/i/lists/${list.id}"><bdi>${list.name}</bdi></a>${list.private ? html`<span class="soft small">private</span>` : ''}<span class="grow"></span>${actionForm(page, isPinned ? 'list-unpin' : 'list-pin', { list_id: list.id }, { text: isPinned ? 'Unpin' : 'Pin', classes: 'button small', label: `${isPinned ? 'Unpin' : 'Pin'} ${list.name}` })}${list.owner_id === page.viewer.id ? html`<a class="button small" href="${mount}/i/lists/${list.id}/edit" aria-label="Edit ${list.name}">Edit</a>` : ''}</div>
${list.description ? html`<p class="text">${list.description}</p>` : ''}<p class="soft small">${list.member_count ?? 0} ${list.member_count === 1 ? 'member' : 'members'}</p></li>
`
}

const listFields = (list?: ListView): Html =>
  html`${textField({ name: 'name', label: 'Name', value: list?.name, most: 25, isRequired: true })}${textField({ name: 'description', label: 'Description', value: list?.description, most: 100, isLong: true })}${tickBox('private', 'Only you see it', list?.private ?? false)}`

const editPage = defineSignedInPage('listEditPage', 'GET /i/lists/{id}/edit', async (page) => {
  const id = page.path.id ?? ''
  const list = shownObject(
    await page.need<ListsAnswer<ListView>>(getListsById, { path: { id }, query: LIST_FIELDS }),
    'list',
  )
  if (list.owner_id !== page.viewer.id) throw blank(403, 'You can edit only your own lists.')
  const members = await page.need<{ data?: UserView[]; meta?: { next_token?: string } }>(getListsMembers, {
    path: { id },
    query: { ...USER_FIELDS, max_results: '50', pagination_token: page.query.get('page') },
  })
  const hidden = { list_id: id, return_to: `/i/lists/${id}/edit` }
  return {
    title: `Edit ${list.name}`,
    main: html`<h1 class="top">Edit <bdi>${list.name}</bdi></h1>
${pageForm(page, { action: '/i/actions/list-update', hidden, content: listFields(list), submit: 'Save' })}
<h2 class="top">Members</h2>
${pageForm(page, { action: '/i/actions/list-add', hidden, content: textField({ name: 'username', label: 'Add a member', most: 16, isRequired: true, hint: '@name' }), submit: 'Add', classes: 'button' })}
<ul class="list plain" role="list">${members.data?.map((user) => html`<li class="card user">${avatar(page, user)}<div class="line">${nameLink(user, page.runtime.mount)}<span class="grow"></span>${actionForm(page, 'list-remove', { list_id: id, user_id: user.id }, { text: 'Remove', classes: 'button small', label: `Remove @${user.username}` })}</div></li>`)}</ul>
${nextPage(page, members.meta?.next_token)}
<h2 class="top">Delete</h2>
${pageForm(page, { action: '/i/actions/list-delete', hidden: { list_id: id }, content: html`<p class="soft">The list and its memberships end. This cannot be undone.</p>`, submit: 'Delete the list', classes: 'button bad' })}`,
  }
})

const field = ({ form }: ActionRequest, name: string): string => form.get(name) ?? ''
const listOf = (page: ActionRequest) => ({
  name: field(page, 'name'),
  description: field(page, 'description'),
  private: page.form.get('private') === 'true',
})

const actions: readonly Endpoint[] = [
  defineAction('listCreateAction', 'POST /i/actions/list-create', async (page) => {
    const made = await page.need<{ data: { id: string } }>(createLists, { body: listOf(page) })
    return { to: `/i/lists/${made.data.id}/edit` }
  }),
  defineAction('listUpdateAction', 'POST /i/actions/list-update', async (page) => {
    await page.need(updateLists, { path: { id: field(page, 'list_id') }, body: listOf(page) })
    return undefined
  }),
  defineAction('listDeleteAction', 'POST /i/actions/list-delete', async (page) => {
    await page.need(deleteLists, { path: { id: field(page, 'list_id') } })
    return { to: '/i/lists' }
  }),
  defineAction('listAddAction', 'POST /i/actions/list-add', async (page) => {
    const username = field(page, 'username').replace(/^@/, '')
    const answer = await page.need<{ data?: { id: string } }>(getUsersByUsername, { path: { username } })
    if (!answer.data) throw blank(404, `There is no user @${username}.`)
    await page.need(addListsMember, { path: { id: field(page, 'list_id') }, body: { user_id: answer.data.id } })
    return undefined
  }),
  defineAction('listRemoveAction', 'POST /i/actions/list-remove', async (page) => {
    await page.need(removeListsMemberByUserId, {
      path: { id: field(page, 'list_id'), user_id: field(page, 'user_id') },
    })
    return undefined
  }),
  defineAction('listPinAction', 'POST /i/actions/list-pin', async (page) => {
    await page.need(pinList, { path: { id: page.viewer.id }, body: { list_id: field(page, 'list_id') } })
    return undefined
  }),
  defineAction('listUnpinAction', 'POST /i/actions/list-unpin', async (page) => {
    await page.need(unpinList, { path: { id: page.viewer.id, list_id: field(page, 'list_id') } })
    return undefined
  }),
  defineAction('listFollowAction', 'POST /i/actions/list-follow', async (page) => {
    await page.need(followList, { path: { id: page.viewer.id }, body: { list_id: field(page, 'list_id') } })
    return undefined
  }),
  defineAction('listUnfollowAction', 'POST /i/actions/list-unfollow', async (page) => {
    await page.need(unfollowList, { path: { id: page.viewer.id, list_id: field(page, 'list_id') } })
    return undefined
  }),
]

export const listPages: readonly Endpoint[] = [listsPage, editPage, ...actions]
