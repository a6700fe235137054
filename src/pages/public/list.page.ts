import type { Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { redirect } from '../../api-kit/writing/answer.ts'
import { type Html, html } from '../../identity/pages/html.ts'
import { getListsFollowers } from '../../social/lists/follow-lists.ts'
import { getListsMembers } from '../../social/lists/list-members.ts'
import { getListsPosts } from '../../social/lists/list-posts.ts'
import { getUsersFollowedLists } from '../../social/lists/lists-of-users.ts'
import { getListsById } from '../../social/lists/manage-lists.ts'
import { definePeoplePage, isSignedIn } from '../define-page.ts'
import type { PageContent } from '../layout.ts'
import { type PageRequest, shownObject } from '../page-request.ts'
import { actionForm } from '../parts/action-form.ts'
import { describedHead } from '../parts/head.ts'
import { shortNumber } from '../parts/moment.ts'
import { postList } from '../parts/post-list.ts'
import { sideColumn } from '../parts/side-column.ts'
import { nameLink } from '../parts/user-card.ts'
import { type UsersAnswer, userList } from '../parts/user-list.ts'
import { POST_FIELDS, type PostsAnswer, USER_FIELDS, type UserView } from '../parts/views.ts'

/** A list as version 2 shows one. */
interface ListView {
  id: string
  name: string
  description?: string
  private?: boolean
  member_count?: number
  follower_count?: number
}

interface FoundList {
  list: ListView
  owner: UserView | undefined
}

async function findList(page: PageRequest): Promise<FoundList> {
  const answer = await page.need<{ data?: ListView; includes?: { users?: UserView[] } }>(getListsById, {
    path: { id: page.path.id ?? '' },
    query: {
      'list.fields': 'description,private,member_count,follower_count,owner_id',
      expansions: 'owner_id',
      'user.fields': 'profile_image_url,protected,verified',
    },
  })
  return { list: shownObject(answer, 'list'), owner: answer.includes?.users?.[0] }
}

/** What a user can do with a list: change it, or follow it. */
async function buttons(page: PageRequest, { list, owner }: FoundList): Promise<Html | ''> {
  if (!isSignedIn(page)) return ''
  if (owner?.id === page.viewer.id)
    return html`<div class="buttons"><a class="button small" href="${page.runtime.mount}/i/lists/${list.id}/edit">Edit</a></div>`
  const followed = await page.call<{ data?: { id: string }[] }>(getUsersFollowedLists, {
    path: { id: page.viewer.id },
    query: { max_results: '100' },
  })
  const isFollowed = followed.body.data?.some(({ id }) => id === list.id) ?? false
  const button = {
    text: isFollowed ? 'Unfollow' : 'Follow',
    classes: isFollowed ? 'button small' : 'button small first',
  }
  return html`<div class="buttons">${actionForm(page, isFollowed ? 'list-unfollow' : 'list-follow', { list_id: list.id }, { ...button, label: `${button.text} ${list.name}` })}</div>`
}

const head = async (page: PageRequest, found: FoundList): Promise<Html> => {
  const { runtime } = page
  const { list, owner } = found
  return html`<div class="intro">
<h1><bdi>${list.name}</bdi></h1>
${list.description ? html`<p class="text" dir="auto">${list.description}</p>` : ''}
<p class="small facts">${owner ? html`<span class="soft">List of ${nameLink(owner, runtime.mount)}</span>` : ''}${list.private ? html`<span class="soft">Private</span>` : ''}<a href="${runtime.mount}/i/lists/${list.id}/members"><b>${shortNumber(list.member_count ?? 0)}</b> ${list.member_count === 1 ? 'member' : 'members'}</a><a href="${runtime.mount}/i/lists/${list.id}/followers"><b>${shortNumber(list.follower_count ?? 0)}</b> ${list.follower_count === 1 ? 'follower' : 'followers'}</a></p>
${await buttons(page, found)}
</div>`
}

async function listPosts(page: PageRequest, found: FoundList): Promise<PageContent> {
  const { list, owner } = found
  const posts = await page.need<PostsAnswer>(getListsPosts, {
    path: { id: list.id },
    query: { ...POST_FIELDS, max_results: '30', pagination_token: page.query.get('page') },
  })
  return {
    aside: await sideColumn(page),
    title: list.name,
    isListed: !list.private,
    head: describedHead(page, {
      path: `/${owner?.username ?? 'i'}/lists/${list.id}`,
      title: list.name,
      description: list.description || `A list of @${owner?.username}`,
    }),
    main: html`${await head(page, found)}
${await postList(page, posts, 'The members of this list have not posted yet.')}`,
  }
}

const PEOPLE = [
  { tail: 'members', text: 'Members', operation: getListsMembers, nothing: 'The list has no members yet.' },
  { tail: 'followers', text: 'Followers', operation: getListsFollowers, nothing: 'The list has no followers yet.' },
] as const

/** A list with the posts of its members, its members and its followers. */
export const listPages: readonly Endpoint[] = [
  definePeoplePage('listPage', 'GET /{username}/lists/{id}', async (page) => {
    const found = await findList(page)
    const owner = found.owner?.username
    return owner !== undefined && owner !== page.path.username
      ? redirect(`${page.runtime.mount}/${owner}/lists/${found.list.id}`)
      : listPosts(page, found)
  }),
  definePeoplePage('listByIdPage', 'GET /i/lists/{id}', async (page) => listPosts(page, await findList(page))),
  ...PEOPLE.map(({ tail, text, operation, nothing }) =>
    definePeoplePage(`list${text}Page`, `GET /i/lists/{id}/${tail}`, async (page) => {
      const found = await findList(page)
      const answer = await page.need<UsersAnswer>(operation, {
        path: { id: found.list.id },
        query: { ...USER_FIELDS, max_results: '50', pagination_token: page.query.get('page') },
      })
      return {
        title: `${text} of ${found.list.name}`,
        main: html`${await head(page, found)}
<h2 class="top">${text}</h2>
${userList(page, answer, nothing)}`,
      }
    }),
  ),
]
