import { type Html, html } from '../../identity/pages/html.ts'
import { getSpacesById, getSpacesPosts } from '../../social/spaces/read-spaces.ts'
import { definePeoplePage, isSignedIn } from '../define-page.ts'
import { readParts, spaceButtons } from '../mine/spaces.page.ts'
import { type PageRequest, shownObject } from '../page-request.ts'
import { describedHead } from '../parts/head.ts'
import { exactMoment } from '../parts/moment.ts'
import { postList } from '../parts/post-list.ts'
import { userCard } from '../parts/user-card.ts'
import { POST_FIELDS, type PostsAnswer, type UserView } from '../parts/views.ts'

/** A space as version 2 shows one. */
interface SpaceView {
  id: string
  state: 'live' | 'scheduled' | 'ended'
  title?: string
  creator_id?: string
  host_ids?: string[]
  speaker_ids?: string[]
  topic_ids?: string[]
  is_ticketed?: boolean
  participant_count?: number
  scheduled_start?: string
  started_at?: string
  ended_at?: string
}

interface SpaceAnswer {
  data?: SpaceView
  includes?: { users?: UserView[]; topics?: { id: string; name: string }[] }
}

const STATES = { live: 'Live now', scheduled: 'Scheduled', ended: 'Ended' }

/** A space: who speaks, when, and what was shared in it. */
export const spacePage = definePeoplePage('spacePage', 'GET /i/spaces/{id}', async (page) => {
  const id = page.path.id ?? ''
  const answer = await page.need<SpaceAnswer>(getSpacesById, {
    path: { id },
    query: {
      'space.fields':
        'title,creator_id,host_ids,speaker_ids,topic_ids,is_ticketed,participant_count,scheduled_start,started_at,ended_at,lang',
      expansions: 'creator_id,host_ids,speaker_ids,topic_ids',
      'user.fields': 'connection_status,description,entities,profile_image_url,protected,verified',
      'topic.fields': 'name',
    },
  })
  const space = shownObject(answer, 'space')
  const posts = await page.need<PostsAnswer>(getSpacesPosts, {
    path: { id },
    query: { ...POST_FIELDS, max_results: '30' },
  })
  const title = space.title ?? 'A space'
  const users = new Map(answer.includes?.users?.map((user) => [user.id, user]))
  const hosts = new Set([...(space.creator_id ? [space.creator_id] : []), ...(space.host_ids ?? [])])
  return {
    title,
    isListed: true,
    head: describedHead(page, { path: `/i/spaces/${id}`, title, description: `${STATES[space.state]}: a space` }),
    main: html`<div class="intro">
<p class="soft small">Space · ${STATES[space.state]}</p>
<h1><bdi>${title}</bdi></h1>
<p class="small soft facts">${times(space)}<span><b>${space.participant_count ?? 0}</b> ${space.participant_count === 1 ? 'listener' : 'listeners'}</span>${space.is_ticketed ? html`<span>With tickets</span>` : ''}${answer.includes?.topics?.map((topic) => html`<span>${topic.name}</span>`)}</p>
${isSignedIn(page) ? html`<div class="buttons">${spaceButtons(page, space, await readParts(page, [space]))}</div>` : ''}
</div>
${people(page, 'Hosts', hosts, users)}
${people(
  page,
  'Speakers',
  (space.speaker_ids ?? []).filter((speaker) => !hosts.has(speaker)),
  users,
)}
<h2 class="top">Posts</h2>
${await postList(page, posts, 'Nothing was shared in this space.')}`,
  }
})

function times(space: SpaceView): Html {
  const moments: [word: string, at: string | undefined][] =
    space.state === 'scheduled'
      ? [['Begins', space.scheduled_start]]
      : [
          ['Began', space.started_at],
          ['Ended', space.ended_at],
        ]
  return html`${moments.map(([word, at]) => (at === undefined ? '' : html`<span>${word} ${exactMoment(at)}</span>`))}`
}

function people(page: PageRequest, title: string, ids: Iterable<string>, users: Map<string, UserView>): Html | '' {
  const shown = [...ids].flatMap((id) => users.get(id) ?? [])
  return shown.length === 0
    ? ''
    : html`<h2 class="top">${title}</h2>
<div class="list">${shown.map((user) => userCard(page, user))}</div>`
}
