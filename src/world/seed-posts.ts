import { postTerms, type SearchablePost } from '../search/post-terms.ts'
import { repostText } from '../social/reposts/repost-text.ts'
import type { WireEntities } from '../social/text/wire-text.ts'
import { CopyRows } from '../storage/copy.ts'
import { FIRST_PLACES } from './first-world.data.ts'
import { SeedPictures } from './seed-pictures.ts'
import { type SeedPlan, STREAM } from './seed-plan.ts'
import { type CountChanges, Tally } from './seed-rows.ts'
import { writeSeedText } from './seed-text.ts'
import { SOURCES } from './seed-words.data.ts'
import type { SeededRandom } from './seeded-random.ts'

/** The posts of one step. They refer only to each other, so each step is complete in itself. */
export interface SeededPosts {
  posts: CopyRows
  /** The terms of each post. */
  terms: CopyRows
  mentions: CopyRows
  metrics: CopyRows
  likes: CopyRows
  media: CopyRows
  mediaBytes: CopyRows
  counts: Map<number, CountChanges>
  links: string[]
}

interface SeededPost {
  id: string
  /** When it was created. */
  ms: number
  author: number
  authorId: string
  conversationId: string
  replies: number
  quotes: number
  reposters: Set<number> | undefined
  likes: number
  /** What a repost of it shows. */
  shown: {
    text: string
    entities: string | null
    lang: string
    mediaKeys: string
    contextEntityIds: string | null
    searchable: SearchablePost
  }
}

/** Posts from number `from` to below `to`. */
export function seedPosts(plan: SeedPlan, from: number, to: number): SeededPosts {
  return new PostStep(plan, from).make(to)
}

class PostStep {
  readonly #plan: SeedPlan
  readonly #from: number
  readonly #random: SeededRandom
  readonly #pictures: SeedPictures
  readonly #tally = new Tally()
  readonly #links: string[] = []
  // `open` has the posts that anyone may answer. `talkedAbout` has a post once per answer, so popular posts get more answers.
  readonly #open: SeededPost[] = []
  readonly #talkedAbout: SeededPost[] = []
  readonly #all: SeededPost[] = []
  readonly #posts = new CopyRows(BYTES_PER_STEP)
  readonly #terms = new CopyRows(BYTES_PER_STEP)
  readonly #mentions = new CopyRows()

  constructor(plan: SeedPlan, from: number) {
    this.#plan = plan
    this.#from = from
    this.#random = plan.random(STREAM.posts, from)
    this.#pictures = new SeedPictures(plan, from)
  }

  make(to: number): SeededPosts {
    for (let number = this.#from; number < to; number++) this.#add(number)
    const likes = this.#like()
    const metrics = new CopyRows()
    for (const { id, replies, quotes, reposters, likes } of this.#all) {
      const reposts = reposters?.size ?? 0
      if (replies + quotes + reposts + likes > 0) metrics.add(id, replies, quotes, reposts, likes)
    }
    const [posts, terms, mentions, links] = [this.#posts, this.#terms, this.#mentions, this.#links]
    return { posts, terms, mentions, metrics, likes, ...this.#pictures.rows(), counts: this.#tally.counts, links }
  }

  #add(number: number): void {
    const author = this.#plan.userOfRank(this.#random.rank(this.#plan.order.users))
    const kind = this.#open.length === 0 ? 1_000 : this.#random.below(1_000)
    const target = kind < 460 ? this.#chooseTarget() : undefined
    if (target && kind >= 400 && target.author !== author && !target.reposters?.has(author))
      this.#addRepost(number, author, target)
    else this.#addPost(number, author, kind < 320 ? target : undefined, kind >= 320 && kind < 400 ? target : undefined)
  }

  #chooseTarget(): SeededPost {
    const [random, open] = [this.#random, this.#open]
    return this.#talkedAbout.length > 0 && random.chance(450)
      ? random.pick(this.#talkedAbout)
      : open[open.length - 1 - Math.min(open.length - 1, random.rank(RECENT))]!
  }

  #addPost(number: number, author: number, answered: SeededPost | undefined, quoted: SeededPost | undefined): void {
    const [plan, random] = [this.#plan, this.#random]
    const traits = plan.traits(author)
    const [id, authorId] = [plan.postId(number), plan.userId(author)]
    const picture = random.chance(60) ? this.#pictures.choose(random, authorId) : undefined
    const text = writeSeedText(
      plan,
      plan.random(STREAM.text, number),
      traits.vocabulary,
      answered && { user: answered.author, isSelf: answered.author === author },
      picture && { url: `${plan.postUrl(author, id)}/photo/1`, key: picture.key },
    )
    const mediaKeys = picture ? `{${picture.key}}` : '{}'
    const post: SeededPost = {
      id,
      ms: plan.postMs(number),
      author,
      authorId,
      conversationId: answered?.conversationId ?? id,
      replies: 0,
      quotes: 0,
      reposters: undefined,
      likes: 0,
      shown: {
        text: text.text,
        entities: text.entities,
        lang: text.lang,
        mediaKeys,
        contextEntityIds: text.contextEntityIds,
        searchable: text.searchable,
      },
    }
    for (const mentioned of [answered, quoted]) if (mentioned) this.#talkedAbout.push(mentioned)
    if (answered) answered.replies += 1
    if (quoted) quoted.quotes += 1
    this.#all.push(post)
    if (!traits.protected) this.#open.push(post)
    this.#links.push(...text.links)
    const place = random.chance(30) ? random.pick(FIRST_PLACES) : undefined
    text.searchable.replyToUserId = answered?.authorId
    text.searchable.place = place && { id: place.id, name: place.full_name, countryCode: place.country_code }
    this.#posts.add(
      ...[id, authorId, text.text, text.entities, text.range[0], text.range[1], text.lang, post.conversationId],
      answered?.id ?? null,
      answered?.authorId ?? null,
      quoted?.id ?? null,
      null,
      mediaKeys,
      place?.id ?? null,
      `{${text.mentionedIds.join(',')}}`,
      random.pick(SOURCES),
      id,
      text.contextEntityIds,
    )
    this.#terms.add(id, postTerms(text.searchable))
    for (const userId of text.mentionedIds) this.#mentions.add(userId, id)
    if (picture) this.#tally.of(author).media += 1
    this.#count(author, id)
  }

  #addRepost(number: number, author: number, original: SeededPost): void {
    const [plan, id] = [this.#plan, this.#plan.postId(number)]
    const { text, entities, lang, mediaKeys, contextEntityIds, searchable } = original.shown
    const username = plan.username(original.author)
    const written = repostText(
      { text, entities: entities === null ? null : (JSON.parse(entities) as WireEntities) },
      { id: original.authorId, username },
    )
    original.reposters ??= new Set()
    original.reposters.add(author)
    this.#talkedAbout.push(original)
    this.#posts.add(
      ...[id, plan.userId(author), written.text, JSON.stringify(written.entities), 0, written.length, lang, id],
      ...[null, null, null, original.id, mediaKeys, null, `{${written.mentionedIds.join(',')}}`],
      this.#random.pick(SOURCES),
      id,
      contextEntityIds,
    )
    const { replyToUserId: _answered, place: _place, ...words } = searchable
    const mentions = [username, ...searchable.mentions]
    this.#terms.add(id, postTerms({ ...words, mentions, repostedUserId: original.authorId }))
    this.#count(author, id)
  }

  #count(author: number, id: string): void {
    const counts = this.#tally.of(author)
    counts.posts += 1
    counts.latest = id
  }

  /** Likes of the posts that anyone may like: most have few, some have many. */
  #like(): CopyRows {
    const rows = new CopyRows()
    const [plan, random] = [this.#plan, this.#plan.random(STREAM.likes, this.#from)]
    const { users, untilMs } = plan.order
    let number = 0
    for (const post of this.#open) {
      const most = Math.min(users - 1, random.chance(550) ? random.below(2 ** random.below(5)) : 0)
      const likers = new Set<number>()
      for (let tries = 0; likers.size < most && tries < most * 2; tries++) {
        const liker = plan.userOfRank(random.rank(users))
        if (liker !== post.author) likers.add(liker)
      }
      for (const liker of likers) {
        const ms = post.ms + random.below(Math.min(LIKED_WITHIN_MS, Math.max(1, untilMs - post.ms)))
        rows.add(plan.userId(liker), post.id, plan.likeId(ms, number++))
        this.#tally.of(liker).likes += 1
      }
      post.likes = likers.size
    }
    return rows
  }
}

const BYTES_PER_STEP = 2 * 1024 * 1024
const RECENT = 200
const LIKED_WITHIN_MS = 2 * 24 * 3600_000
