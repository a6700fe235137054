import { isStorableId, timeOfId } from '../../../process/ids.ts'
import { postTerms } from '../../../search/post-terms.ts'
import { linkColumns } from '../../../social/links/short-link.ts'
import { type PlaceRow, placeRow } from '../../../social/places/place.object.ts'
import type { PostDraft } from '../../../social/posts/create-post.body.ts'
import { textDigest } from '../../../social/posts/create-post.ts'
import { checkDraft } from '../../../social/posts/draft-rules.ts'
import { insertPosts, type NewPost } from '../../../social/posts/insert-posts.ts'
import type { PostRow } from '../../../social/posts/post.parts.ts'
import { prepareText } from '../../../social/posts/prepare-text.ts'
import { type MadeMedia, makeMedia, storeMedia } from './apply-media.ts'
import { type Applying, KeyedIds, type KnownApp } from './applying.ts'
import { rewritePosts } from './change-posts.ts'
import { type FoundPost, findPosts } from './find-posts.ts'
import { setVotes } from './poll-votes.ts'

const POSTS_PER_STATEMENT = 1_000
const POSTS_PER_TURN = 50

/** Creates and changes the posts of a file. */
export async function applyPosts(run: Applying, keys: readonly (string | undefined)[]): Promise<void> {
  const { posts, rows } = await findPosts(run, keys)
  const media = await makeMedia(run, posts)
  const placeIds = posts.flatMap(({ draft, row }) => draft.place ?? row?.place_id ?? [])
  const places = await placeRow.load(run.tx, [...new Set(placeIds)])
  const writer = new PostWriter(run, posts, rows, media, places)
  const made: NewPost[] = []
  for (const [index, post] of posts.entries()) {
    // Other requests of this process are answered meanwhile.
    if (index % POSTS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve))
    const written = await writer.write(post)
    if (written) made.push(written)
  }
  run.stopOnFaults()
  const fresh = posts.flatMap(({ row }, index) => (row ? [] : [made[index]!]))
  await storeMedia(run, media, posts)
  await storePosts(run, fresh)
  await rewritePosts(run, posts, made)
  await setVotes(run, posts, made)
  for (const [index, { id }] of posts.entries()) {
    const key = keys[index]
    if (key !== undefined) run.items.keep({ kind: 'post', key, id })
  }
  for (const { author_id, text, id } of fresh)
    run.report.add('created', 'post', `${id} @${run.users.get(author_id)?.username}: ${text.slice(0, 60)}`)
}

/** Stores posts. Of equal texts only the newest keeps others from posting the same. */
async function storePosts(run: Applying, posts: NewPost[]): Promise<void> {
  const newest = new Map<string, NewPost>()
  for (const post of posts) {
    const key = `${post.author_id} ${post.digest}`
    const other = newest.get(key)
    if (!other || BigInt(other.id) < BigInt(post.id)) newest.set(key, post)
  }
  const all = posts.map((post) =>
    newest.get(`${post.author_id} ${post.digest}`) === post ? post : { ...post, digest: ownDigest(post) },
  )
  for (let from = 0; from < all.length; from += POSTS_PER_STATEMENT) {
    const some = all.slice(from, from + POSTS_PER_STATEMENT)
    const stored = await insertPosts(run.tx, some)
    const left = some.filter((post) => !stored.has(post.id))
    // Their authors posted the same a short time ago.
    if (left.length > 0)
      await insertPosts(
        run.tx,
        left.map((post) => ({ ...post, digest: ownDigest(post) })),
      )
  }
}

const ownDigest = (post: NewPost): string => Buffer.from(`world file ${post.id}`).toString('hex').padEnd(64, '0')

/** What a post needs to know of the one that it answers or quotes. */
interface Target {
  id: string
  authorId: string
  conversationId: string
  communityId: string | null
}

class PostWriter {
  readonly #run: Applying
  readonly #byId: Map<string, FoundPost>
  readonly #rows: ReadonlyMap<string, PostRow>
  readonly #media: ReadonlyMap<string, MadeMedia[]>
  readonly #places: ReadonlyMap<string, PlaceRow>
  readonly #targets = new Map<string, Target | undefined>()
  readonly #userIds: ReadonlyMap<string, string>
  readonly #pollIds = new KeyedIds()

  constructor(
    run: Applying,
    posts: readonly FoundPost[],
    rows: ReadonlyMap<string, PostRow>,
    media: ReadonlyMap<string, MadeMedia[]>,
    places: ReadonlyMap<string, PlaceRow>,
  ) {
    this.#run = run
    this.#byId = new Map(posts.map((post) => [post.id, post]))
    this.#rows = rows
    this.#media = media
    this.#places = places
    this.#userIds = new Map([...run.users.values()].map((user) => [user.username.toLowerCase(), user.id]))
  }

  /** The post as it is to be stored; undefined if something is wrong with it. */
  async write({ draft, where, id, author, row }: FoundPost): Promise<NewPost | undefined> {
    const run = this.#run
    const answered = this.#target(draft.reply_to, `${where}.reply_to`)
    const quoted = this.#target(draft.quotes, `${where}.quotes`)
    // What a file does not say about an existing post stays.
    const place = this.#places.get(draft.place ?? row?.place_id ?? '')
    if (draft.place !== undefined && !place) run.fault(`${where}.place`, draft.place, 'there is no such place')
    const communityId = this.#community(draft.community, answered, `${where}.community`) ?? row?.community_id
    const answeredUserId = answered?.authorId ?? row?.in_reply_to_user_id
    const app = draft.source === undefined ? this.#app(draft.app, `${where}.app`) : undefined
    const media = this.#media.get(id) ?? []
    const body: PostDraft = {
      text: draft.text,
      ...(answered ? { reply: { in_reply_to_post_id: answered.id } } : {}),
      ...(quoted ? { quote_post_id: quoted.id } : {}),
      ...(draft.poll ? { poll: draft.poll } : {}),
      ...(media.length > 0 ? { media: { media_ids: media.map((item) => item.id) } } : {}),
      ...(communityId ? { community_id: communityId } : {}),
    }
    const attachment = media.length === 0 ? undefined : { keys: media.map((item) => item.key), media }
    const prepared = await run.checking(`${where}.text`, draft.text?.slice(0, 100), () => {
      checkDraft(body)
      return prepareText(
        run.runtime,
        { id, author, prefix: '', draft: body, isReply: answeredUserId !== undefined, attachment },
        () => this.#userIds,
      )
    })
    if (!prepared) return undefined
    const ms = timeOfId(id)
    const links = linkColumns(prepared.links)
    return {
      id,
      author_id: author.id,
      digest: textDigest(body, undefined, attachment),
      text: prepared.text,
      entities: prepared.entities ?? null,
      note_text: prepared.noteText,
      note_entities: prepared.noteEntities ?? null,
      display_start: prepared.range[0],
      display_end: prepared.range[1],
      lang: prepared.lang,
      conversation_id: answered?.conversationId ?? id,
      in_reply_to_post_id: answered?.id ?? row?.in_reply_to_post_id ?? null,
      in_reply_to_user_id: answeredUserId ?? null,
      quoted_post_id: quoted?.id ?? row?.quoted_post_id ?? null,
      first_version_id: id,
      reply_settings: draft.reply_settings ?? row?.reply_settings ?? 'everyone',
      community_id: communityId ?? null,
      share_with_followers: false,
      place_id: place?.id ?? null,
      poll_id: row ? row.poll_id : draft.poll ? this.#pollIds.of(ms, 'poll', id) : null,
      nullcast: false,
      sandbox: null,
      made_with_ai: draft.made_with_ai ?? row?.made_with_ai ?? false,
      paid_partnership: draft.paid_partnership ?? row?.paid_partnership ?? false,
      mentioned_user_ids: prepared.mentionedIds,
      source_app_id: app?.id ?? null,
      source: app?.name ?? draft.source ?? 'World file',
      search: postTerms({
        ...prepared.searchable,
        replyToUserId: answeredUserId,
        place: place && { id: place.id, name: place.full_name, countryCode: place.country_code },
        mediaTypes: media.map((item) => item.type),
      }),
      media_keys: media.map((item) => item.key),
      possibly_sensitive: draft.possibly_sensitive ?? row?.possibly_sensitive ?? false,
      hidden: false,
      card_uri: null,
      context_entity_ids: prepared.contextEntityIds,
      link_codes: links.codes,
      link_urls: links.urls,
      poll_minutes: draft.poll?.duration_minutes ?? null,
      poll_ends_at: draft.poll ? new Date(ms + draft.poll.duration_minutes * 60_000) : null,
      poll_options: draft.poll?.options ?? [],
      happened_at: new Date(ms),
      is_silent: true,
    }
  }

  #app(name: string | undefined, where: string): KnownApp | undefined {
    if (name !== undefined) return this.#run.app(name, where)
    const first = this.#run.world.apps?.[0]
    return first && this.#run.apps.get(first.key ?? first.name)
  }

  #community(name: string | undefined, answered: Target | undefined, where: string): string | undefined {
    if (name === undefined) return answered?.communityId ?? undefined
    const found = this.#run.communities.get(name)
    if (!found) this.#run.fault(where, name, `there is no community ${name} in this file or on the server`)
    return found
  }

  #target(name: string | undefined, where: string): Target | undefined {
    if (name === undefined) return undefined
    const id = this.#run.posts.get(name)
    if (id === undefined) {
      const hint = isStorableId(name) ? '' : '; a post is named by its key or id'
      this.#run.fault(where, name, `there is no post ${name} in this file or on the server${hint}`)
      return undefined
    }
    const found = this.#find(id)
    if (!found) this.#run.fault(where, name, 'the replies form a circle')
    return found
  }

  /** Walks up the replies of a file to the post that began the conversation. */
  #find(id: string): Target | undefined {
    const walked: FoundPost[] = []
    const visited = new Set<string>()
    let top: Target | undefined
    for (let at: string | undefined = id; at !== undefined; ) {
      if (visited.has(at)) return undefined
      visited.add(at)
      top = this.#targets.get(at) ?? this.#stored(at)
      if (top) break
      const post: FoundPost = this.#byId.get(at)!
      walked.push(post)
      const above: string | undefined = post.draft.reply_to
      at = above === undefined ? undefined : this.#run.posts.get(above)
    }
    for (const post of walked.toReversed()) {
      const own = post.draft.community === undefined ? undefined : this.#run.communities.get(post.draft.community)
      top = {
        id: post.id,
        authorId: post.author.id,
        conversationId: top?.conversationId ?? post.id,
        communityId: own ?? top?.communityId ?? null,
      }
      this.#targets.set(post.id, top)
    }
    return top
  }

  #stored(id: string): Target | undefined {
    const row = this.#rows.get(id)
    return (
      row && {
        id,
        authorId: row.author_id,
        conversationId: row.conversation_id,
        communityId: row.community_id,
      }
    )
  }
}
