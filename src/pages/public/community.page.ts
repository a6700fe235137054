import { html } from '../../identity/pages/html.ts'
import { LARGEST_ID } from '../../process/ids.ts'
import { communityRole, roleKey } from '../../social/communities/community.parts.ts'
import { stateInCommunity } from '../../social/communities/community.statements.ts'
import { getCommunitiesById } from '../../social/communities/read-communities.ts'
import { statement } from '../../storage/statement.ts'
import { definePeoplePage, isSignedIn } from '../define-page.ts'
import { communityButtons } from '../mine/communities.page.ts'
import { POLICY_WORDS, teamOf } from '../mine/community-team.ts'
import { type PageRequest, type SignedInRequest, shownObject } from '../page-request.ts'
import { describedHead } from '../parts/head.ts'
import { monthOf, shortNumber } from '../parts/moment.ts'
import { postList } from '../parts/post-list.ts'
import { sideColumn } from '../parts/side-column.ts'
import { pageKey } from './page-key.ts'
import { postsByIds } from './posts-by-ids.ts'

/** A community as version 2 shows one. */
interface CommunityView {
  id: string
  name: string
  description?: string
  access?: 'Public' | 'Closed'
  join_policy?: string
  member_count?: number
  created_at?: string
}

/** The posts of a community before an id. No operation lists them. */
const communityPosts = statement(
  'page_community_posts',
  { id: 'int8' },
  `select id from post where community_id = $1 and id < $2 and in_reply_to_post_id is null and not superseded and not nullcast
      and sandbox is null order by id desc limit $3`,
)
const SIZE = 30

/** A community and what was posted in it. The posts of a closed one are for its members. */
export const communityPage = definePeoplePage('communityPage', 'GET /i/communities/{id}', async (page) => {
  const answer = await page.need<{ data?: CommunityView }>(getCommunitiesById, {
    path: { id: page.path.id ?? '' },
    query: { 'community.fields': 'description,access,join_policy,member_count,created_at' },
  })
  const community = shownObject(answer, 'community')
  const isClosed = community.access === 'Closed'
  const state = isSignedIn(page) ? await stateOf(page, community.id) : undefined
  return {
    title: community.name,
    isListed: !isClosed,
    head: describedHead(page, {
      path: `/i/communities/${community.id}`,
      title: community.name,
      description: community.description ?? 'A community',
    }),
    aside: await sideColumn(page),
    main: html`<div class="intro">
<h1><bdi>${community.name}</bdi></h1>
${community.description ? html`<p class="text" dir="auto">${community.description}</p>` : ''}
<p class="small soft facts"><span><b>${shortNumber(community.member_count ?? 0)}</b> ${community.member_count === 1 ? 'member' : 'members'}</span><span>${isClosed ? 'Closed' : 'Public'}</span><span>${POLICY_WORDS[community.join_policy ?? ''] ?? ''}</span>${community.created_at ? html`<span>Since ${monthOf(community.created_at)}</span>` : ''}</p>
${isSignedIn(page) ? html`<div class="buttons">${communityButtons(page, community, state)}</div>` : ''}
</div>
${isSignedIn(page) ? await teamOf(page, community, state) : ''}
${isClosed && !(await isMember(page, community.id)) ? html`<p class="empty soft">Only members see what is posted here.</p>` : await posts(page, community.id)}`,
  }
})

/** What the viewer is to the community: a member, or somebody who asked or was invited. */
async function stateOf({ runtime, viewer }: SignedInRequest, id: string): Promise<string | undefined> {
  return (await stateInCommunity.first(runtime.database, viewer.id, id))?.state
}

async function isMember({ runtime, viewer }: PageRequest, id: string): Promise<boolean> {
  return viewer !== undefined && (await runtime.parts.one(communityRole, roleKey(viewer.id, id))) !== undefined
}

async function posts(page: PageRequest, id: string) {
  const rows = await communityPosts.all(page.runtime.database, id, pageKey(page) ?? LARGEST_ID, SIZE + 1)
  const ids = rows.slice(0, SIZE).map((row) => row.id)
  const answer = await postsByIds(page, ids)
  const meta = rows.length > SIZE ? { next_token: ids.at(-1) } : {}
  return postList(page, { ...answer, meta }, 'Nobody has posted here yet.')
}
