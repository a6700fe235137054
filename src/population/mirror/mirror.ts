import { timeOfId } from '../../process/ids.ts'
import { topicOf } from '../personas/topics.ts'

/** A post as the mirror keeps it. */
export interface MirrorPost {
  id: string
  /** Orders posts; only those of the same millisecond and process may have the same. */
  key: number
  /** The number of the author in the mirror. */
  author: number
  authorId: string
  text: string
  lang: string
  /** -1 where it has no known hashtag. */
  topic: number
  /** The number of the user it replies to; -1 when it is not a reply. */
  replyTo: number
  quotedId: string | null
  /** Of a repost: the post that it repeats, and who wrote that. */
  originalId: string | null
  originalAuthor: number
  communityId: string | null
  /** All versions of an edited post have the same. */
  firstVersionId: string
  hasMedia: boolean
  likes: number
  reposts: number
  atMs: number
}

/** A row of the mirror's statements. */
export interface PostRow {
  id: string
  author_id: string
  text: string
  lang: string
  reply_to: string | null
  quoted_post_id: string | null
  reposted_post_id: string | null
  original_author_id: string | null
  community_id: string | null
  first_version_id: string
  has_media: boolean
  likes: number
  reposts: number
}

const POSTS_PER_AUTHOR = 60
const NEVER = -1

export const isNewer = (one: MirrorPost, other: MirrorPost): boolean =>
  one.key !== other.key ? one.key > other.key : one.id > other.id

const HIDDEN = { protected: 1, suspended: 2, gone: 4 } as const

/**
 * What is needed to read home timelines without the database: whom personas follow, mute and block, and the newest posts of each
 * author. It is a copy: whoever reads checks some of it against the real operation.
 */
export class Mirror {
  readonly #numbers = new Map<string, number>()
  readonly ids: string[] = []
  readonly #posts: MirrorPost[][] = []
  /** By author: the key of the newest post that was dropped. Nothing is known about posts up to it. */
  readonly #floors: number[] = []
  /** By persona: the numbers of those they follow. */
  readonly follows = new Map<number, number[]>()
  readonly mutes = new Map<number, Set<number>>()
  /** In both directions. */
  readonly blocks = new Map<number, Set<number>>()
  readonly #hidden: number[] = []
  readonly closedCommunities = new Set<string>()
  readonly byId = new Map<string, MirrorPost>()
  /** Posts up to this key were not loaded. */
  floor = NEVER
  readonly #most: number

  /** `most` is how many posts it keeps. */
  constructor(most: number) {
    this.#most = most
  }

  /** The number of a user, who becomes known by this. */
  numberOf(id: string): number {
    let number = this.#numbers.get(id)
    if (number === undefined) {
      number = this.ids.length
      this.#numbers.set(id, number)
      this.ids.push(id)
      this.#posts.push([])
      this.#floors.push(NEVER)
      this.#hidden.push(0)
    }
    return number
  }

  known(id: string): number | undefined {
    return this.#numbers.get(id)
  }

  get users(): number {
    return this.ids.length
  }

  get size(): number {
    return this.byId.size
  }

  postsOf(author: number): readonly MirrorPost[] {
    return this.#posts[author]!
  }

  /** Nothing is known about posts of an author up to this key. */
  floorOf(author: number): number {
    return Math.max(this.floor, this.#floors[author]!)
  }

  add(row: PostRow): void {
    if (this.byId.has(row.id)) return
    const post = this.describe(row)
    const { author } = post
    const list = this.#posts[author]!
    if (post.firstVersionId !== post.id)
      for (const before of list.filter((item) => item.firstVersionId === post.firstVersionId)) this.remove(before.id)
    let at = list.length
    while (at > 0 && isNewer(list[at - 1]!, post)) at -= 1
    // Older than what was dropped: it would leave a gap.
    if (at === 0 && post.key <= this.floorOf(author)) return
    list.splice(at, 0, post)
    this.byId.set(post.id, post)
    if (list.length > POSTS_PER_AUTHOR) this.#dropOldest(author)
  }

  /** A post as the mirror would keep it. */
  describe(row: PostRow): MirrorPost {
    const author = this.numberOf(row.author_id)
    const original = row.reposted_post_id === null ? undefined : this.byId.get(row.reposted_post_id)
    return {
      id: row.id,
      key: Number(BigInt(row.id) >> 10n),
      author,
      authorId: this.ids[author]!,
      text: original ? original.text : row.text,
      lang: row.lang,
      topic: original ? original.topic : topicOf(row.text),
      replyTo: row.reply_to === null ? -1 : this.numberOf(row.reply_to),
      quotedId: row.quoted_post_id,
      originalId: row.reposted_post_id,
      originalAuthor: row.original_author_id === null ? -1 : this.numberOf(row.original_author_id),
      communityId: row.community_id,
      firstVersionId: row.first_version_id,
      hasMedia: row.has_media,
      likes: row.likes,
      reposts: row.reposts,
      atMs: timeOfId(row.id),
    }
  }

  /** Keeps the memory bounded: the posts that were added first are dropped. */
  trim(): void {
    if (this.byId.size <= this.#most) return
    let excess = this.byId.size - Math.floor(this.#most * 0.9)
    for (const post of this.byId.values()) {
      if (excess-- <= 0) break
      const list = this.#posts[post.author]!
      // All that are older go with it.
      while (list.length > 0 && !isNewer(list[0]!, post)) this.#dropOldest(post.author)
    }
  }

  #dropOldest(author: number): void {
    const dropped = this.#posts[author]!.shift()!
    this.byId.delete(dropped.id)
    this.#floors[author] = Math.max(this.#floors[author]!, dropped.key)
  }

  remove(id: string): void {
    const post = this.byId.get(id)
    if (!post) return
    this.byId.delete(id)
    const list = this.#posts[post.author]!
    const at = list.indexOf(post)
    if (at >= 0) list.splice(at, 1)
  }

  hide(id: string, how: keyof typeof HIDDEN, isHidden: boolean): void {
    const number = this.numberOf(id)
    this.#hidden[number] = isHidden ? this.#hidden[number]! | HIDDEN[how] : this.#hidden[number]! & ~HIDDEN[how]
  }

  isProtected(user: number): boolean {
    return (this.#hidden[user]! & HIDDEN.protected) !== 0
  }

  /** Suspended or deleted: hidden from everybody else. */
  isAway(user: number): boolean {
    return (this.#hidden[user]! & (HIDDEN.suspended | HIDDEN.gone)) !== 0
  }
}

/** Adds a pair to sets by their first member, or takes it out. */
export function relate(pairs: Map<number, Set<number>>, one: number, other: number, isThere: boolean): void {
  const known = pairs.get(one)
  if (isThere) {
    if (known) known.add(other)
    else pairs.set(one, new Set([other]))
  } else if (known) {
    known.delete(other)
    if (known.size === 0) pairs.delete(one)
  }
}
