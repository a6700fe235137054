import { bool, type Column, id, int, json, orFalse, orNone, orZero, required, text, texts, time } from './columns.ts'
import type { Kind } from './kind.ts'
import { mediaFiles, mediaItems, mediaSubtitles } from './kinds-of-media.ts'
import { messageKinds } from './kinds-of-messages.ts'
import { posts } from './kinds-of-posts.ts'
import { users } from './kinds-of-users.ts'

const pair = (name: string, table: string, summary: string): Kind => ({
  name,
  table,
  summary,
  columns: [id('source_id', required), id('target_id', required), id('id', { fallback: 's.source_id' })],
  key: ['source_id', 'target_id'],
  references: [
    { column: 'source_id', kind: 'users' },
    { column: 'target_id', kind: 'users' },
  ],
})

const places: Kind = {
  name: 'places',
  table: 'place',
  summary: 'places that posts name',
  columns: [
    text('id', required),
    text('full_name', required),
    text('name', required),
    text('country', required),
    text('country_code', required),
    text('place_type', required),
    { name: 'bbox', type: 'numbers', required: true },
    texts('contained_within', orNone),
  ],
  key: ['id'],
  references: [],
}

const communities: Kind = {
  name: 'communities',
  table: 'community',
  summary: 'communities',
  columns: [
    id('id', required),
    text('name', required),
    text('description', { fallback: `''` }),
    text('access', { fallback: `'Public'` }),
    text('join_policy', { fallback: `'Open'` }),
    time('created_at', required),
    int('member_count', orZero),
    texts('words', orNone),
  ],
  key: ['id'],
  references: [],
}

const communityUsers = (name: string, table: string, summary: string, columns: readonly Column[] = []): Kind => ({
  name,
  table,
  summary,
  columns: [id('community_id', required), id('user_id', required), ...columns],
  key: ['community_id', 'user_id'],
  references: [
    { column: 'community_id', kind: 'communities' },
    { column: 'user_id', kind: 'users' },
  ],
})

const follows: Kind = {
  ...pair('follows', 'follow', 'who follows whom, and requests to follow'),
  columns: [...pair('', '', '').columns, bool('pending', orFalse)],
}

const likes: Kind = {
  name: 'likes',
  table: 'post_like',
  summary: 'likes',
  columns: [id('user_id', required), id('post_id', required), id('id', { fallback: 's.post_id' })],
  key: ['user_id', 'post_id'],
  references: [
    { column: 'user_id', kind: 'users' },
    { column: 'post_id', kind: 'posts' },
  ],
}

const pollVotes: Kind = {
  name: 'poll_votes',
  table: 'poll_vote',
  summary: 'who voted for which option of a poll (private)',
  columns: [
    id('poll_id', required),
    id('user_id', required),
    int('position', required),
    id('id', { fallback: 's.poll_id' }),
    id('post_id', { ...required, sql: 'q.post_id', elsewhere: true }),
  ],
  key: ['poll_id', 'user_id'],
  from: 'poll_vote t join poll q on q.id = t.poll_id',
  references: [
    { column: 'user_id', kind: 'users' },
    { column: 'post_id', kind: 'posts' },
  ],
}

const bookmarkFolders: Kind = {
  name: 'bookmark_folders',
  table: 'bookmark_folder',
  summary: 'folders of bookmarks (private)',
  columns: [id('id', required), id('user_id', required), text('name', required)],
  key: ['id'],
  references: [{ column: 'user_id', kind: 'users' }],
}

const bookmarks: Kind = {
  name: 'bookmarks',
  table: 'bookmark',
  summary: 'bookmarks (private)',
  columns: [...likes.columns, id('folder_id')],
  key: ['user_id', 'post_id'],
  references: [...likes.references, { column: 'folder_id', kind: 'bookmark_folders' }],
}

const lists: Kind = {
  name: 'lists',
  table: 'list',
  summary: 'lists, also private ones',
  columns: [
    id('id', required),
    id('owner_id', required),
    text('name', required),
    text('description', { fallback: `''` }),
    bool('private', orFalse),
    time('created_at', required),
    int('member_count', { sql: 'coalesce(m.member_count, 0)', elsewhere: true }),
    int('follower_count', { sql: 'coalesce(m.follower_count, 0)', elsewhere: true }),
  ],
  key: ['id'],
  from: 'list t left join list_metrics m on m.list_id = t.id',
  references: [{ column: 'owner_id', kind: 'users' }],
}

const listMembers: Kind = {
  name: 'list_members',
  table: 'list_member',
  summary: 'members of lists',
  columns: [
    id('list_id', required),
    id('user_id', required),
    id('id', required),
    bool('private', orFalse),
    id('since_id', { fallback: 's.id' }),
  ],
  key: ['list_id', 'user_id'],
  references: [
    { column: 'list_id', kind: 'lists' },
    { column: 'user_id', kind: 'users' },
  ],
}

const listMarks = (name: string, table: string, summary: string): Kind => ({
  name,
  table,
  summary,
  columns: [id('user_id', required), id('list_id', required), id('id', required)],
  key: ['user_id', 'list_id'],
  references: [
    { column: 'user_id', kind: 'users' },
    { column: 'list_id', kind: 'lists' },
  ],
})

const deletedPosts: Kind = {
  name: 'deleted_posts',
  table: 'deleted_post',
  summary: 'ids and times of deleted posts',
  columns: [id('id', required), time('deleted_at', required)],
  key: ['id'],
  references: [],
}

/** The log has its own rules: see `apply-events.ts`. */
const events: Kind = {
  name: 'events',
  table: 'event_log',
  summary: 'the event log of the last seven days',
  columns: [
    id('sequence', { ...required, sql: 't.place' }),
    text('type', required),
    id('actor_id'),
    id('target_id'),
    id('post_id'),
    json('payload', { fallback: `'{}'` }),
    time('happened_at', required),
    json('hidden_users'),
  ],
  key: ['sequence'],
  references: [],
}

const POST_FACTS =
  'impressions likes unlikes replies reposts quote_posts bookmarks follows unfollows shares detail_expands url_clicks cta_url_clicks hashtag_clicks permalink_clicks user_profile_clicks email_post app_opens app_install_attempts media_views media_engagements video_views unique_video_views video_starts video_played25 video_played50 video_played75 video_completions'
const MEDIA_FACTS =
  'video_views playback_start playback25 playback50 playback75 playback_complete play_from_tap cta_url_clicks cta_watch_clicks watch_time_ms'

const facts = (of: 'post' | 'media', span: 'total' | 'day' | 'hour'): Kind => ({
  name: `${of}_metrics_${span}`,
  table: `${of}_${span}`,
  summary: `views, clicks and other facts of ${of === 'post' ? 'posts' : 'media items'}, ${span === 'total' ? 'in total' : `by ${span}`}`,
  columns: [
    id(`${of}_id`, required),
    ...(span === 'total' ? [] : [time('period', required)]),
    bool('promoted', required),
    ...(of === 'post' ? POST_FACTS : MEDIA_FACTS).split(' ').map((name) => int(name)),
  ],
  key: span === 'total' ? [`${of}_id`, 'promoted'] : [`${of}_id`, 'period', 'promoted'],
  references: [{ column: `${of}_id`, kind: of === 'post' ? 'posts' : 'media' }],
})

/** Everything that can be exported, in the order of an import: what others refer to comes first. */
export const KINDS: readonly Kind[] = [
  places,
  users,
  communities,
  communityUsers('community_members', 'community_member', 'members of communities', [
    text('role', { fallback: `'member'` }),
  ]),
  communityUsers('community_invitations', 'community_invitation', 'invitations to communities'),
  communityUsers('community_requests', 'community_request', 'requests to join communities'),
  mediaItems,
  mediaFiles,
  mediaSubtitles,
  posts,
  deletedPosts,
  follows,
  pair('blocks', 'block', 'who blocks whom (private)'),
  pair('mutes', 'mute', 'who mutes whom (private)'),
  likes,
  pollVotes,
  bookmarkFolders,
  bookmarks,
  lists,
  listMembers,
  listMarks('list_follows', 'list_follow', 'who follows which list'),
  listMarks('list_pins', 'list_pin', 'who pinned which list'),
  ...messageKinds,
  ...(['post', 'media'] as const).flatMap((of) => (['total', 'day', 'hour'] as const).map((span) => facts(of, span))),
  events,
]

const byName = new Map(KINDS.map((kind) => [kind.name, kind]))

/** The kind with a name. */
export const kindOf = (name: string): Kind | undefined => byName.get(name)

/** The names of the kinds that `all` stands for. */
export const ALL = KINDS.filter((kind) => !kind.onlyByName).map((kind) => kind.name)
