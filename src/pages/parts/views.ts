/** A user as version 2 shows one, with the fields that pages ask for. */
export interface UserView {
  id: string
  username: string
  name: string
  created_at?: string
  description?: string
  entities?: { url?: { urls?: UrlEntity[] }; description?: Entities }
  location?: string
  url?: string
  pinned_post_id?: string
  profile_image_url?: string
  profile_banner_url?: string
  protected?: boolean
  verified?: boolean
  verified_type?: string
  connection_status?: string[]
  receives_your_dm?: boolean
  public_metrics?: { followers_count: number; following_count: number; post_count: number; listed_count: number }
}

interface UrlEntity {
  start: number
  end: number
  url: string
  expanded_url?: string
  display_url?: string
  media_key?: string
}

export interface Entities {
  urls?: UrlEntity[]
  mentions?: { start: number; end: number; username: string }[]
  hashtags?: { start: number; end: number; tag: string }[]
  cashtags?: { start: number; end: number; tag: string }[]
}

export interface MediaView {
  media_key: string
  type: 'photo' | 'video' | 'animated_gif'
  url?: string
  preview_image_url?: string
  alt_text?: string
  width?: number
  height?: number
  variants?: { content_type: string; url: string; bit_rate?: number }[]
}

export interface PollView {
  id: string
  options: { position: number; label: string; votes: number }[]
  voting_status?: 'open' | 'closed'
  end_datetime?: string
}

type ReferenceKind = 'replied_to' | 'quoted' | 'reposted'

/** A post as version 2 shows one. */
export interface PostData {
  id: string
  text: string
  author_id?: string
  created_at?: string
  conversation_id?: string
  community_id?: string
  in_reply_to_user_id?: string
  entities?: Entities
  note_post?: { text: string; entities?: Entities }
  attachments?: { media_keys?: string[]; poll_ids?: string[] }
  referenced_posts?: { type: ReferenceKind; id: string }[]
  edit_history_post_ids?: string[]
  edit_controls?: { is_edit_eligible?: boolean; editable_until?: string; edits_remaining?: number }
  geo?: { place_id?: string }
  article?: { id?: string; title?: string; preview_text?: string; media_key?: string }
  lang?: string
  possibly_sensitive?: boolean
  paid_partnership?: boolean
  source?: string
  public_metrics?: {
    reply_count: number
    repost_count: number
    quote_count: number
    like_count: number
    bookmark_count: number
    impression_count: number
  }
}

interface Includes {
  users?: UserView[]
  posts?: PostData[]
  media?: MediaView[]
  polls?: PollView[]
  places?: { id: string; full_name?: string; name?: string }[]
}

/** An answer of version 2 with posts. */
export interface PostsAnswer<T = PostData[]> {
  data?: T
  includes?: Includes
  errors?: { type?: string; detail?: string; title?: string; resource_id?: string }[]
  meta?: { next_token?: string; previous_token?: string; result_count?: number }
}

/** A post with everything that its card shows. */
export interface PostView extends PostData {
  author: UserView | undefined
  media: MediaView[]
  poll: PollView | undefined
  place: string | undefined
  /** The picture of the article that it is about. */
  cover: MediaView | undefined
  /** The posts that it refers to; undefined where the viewer may not see one. */
  references: { kind: ReferenceKind; id: string; post: PostView | undefined }[]
}

/** Parameters of an operation that returns posts: everything that a card shows. */
export const POST_FIELDS = {
  'post.fields':
    'article,attachments,author_id,community_id,conversation_id,created_at,edit_controls,edit_history_post_ids,entities,geo,in_reply_to_user_id,lang,note_post,paid_partnership,possibly_sensitive,public_metrics,referenced_posts,reply_settings,source',
  expansions:
    'author_id,referenced_posts.id,referenced_posts.id.author_id,referenced_posts.id.attachments.media_keys,attachments.poll_ids,attachments.media_keys,geo.place_id,article.cover_media',
  'user.fields': 'connection_status,profile_image_url,protected,verified,verified_type',
  'media.fields': 'alt_text,height,preview_image_url,type,url,variants,width',
  'poll.fields': 'end_datetime,options,voting_status',
  'place.fields': 'full_name',
} as const

/** Parameters of an operation that returns users. */
export const USER_FIELDS = {
  'user.fields':
    'connection_status,created_at,description,entities,location,pinned_post_id,profile_banner_url,profile_image_url,protected,public_metrics,receives_your_dm,url,verified,verified_type',
} as const

/** Joins posts with what the answer includes. */
export function joinPosts(posts: readonly PostData[], includes: Includes = {}): PostView[] {
  const users = new Map(includes.users?.map((user) => [user.id, user]))
  const others = new Map(includes.posts?.map((post) => [post.id, post]))
  const media = new Map(includes.media?.map((item) => [item.media_key, item]))
  const polls = new Map(includes.polls?.map((poll) => [poll.id, poll]))
  const places = new Map(includes.places?.map((place) => [place.id, place.full_name ?? place.name]))
  const join = (post: PostData, depth: number): PostView => ({
    ...post,
    author: users.get(post.author_id ?? ''),
    media: post.attachments?.media_keys?.flatMap((key) => media.get(key) ?? []) ?? [],
    poll: polls.get(post.attachments?.poll_ids?.[0] ?? ''),
    place: places.get(post.geo?.place_id ?? ''),
    cover: media.get(post.article?.media_key ?? ''),
    references:
      post.referenced_posts?.map(({ type, id }) => {
        const other = others.get(id)
        return { kind: type, id, post: other && depth < 2 ? join(other, depth + 1) : undefined }
      }) ?? [],
  })
  return posts.map((post) => join(post, 0))
}
