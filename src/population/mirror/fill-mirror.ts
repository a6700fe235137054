import type { Runtime } from '../../api-kit/runtime.ts'
import { readHead } from '../../events/log-tail.ts'
import { LARGEST_ID } from '../../process/ids.ts'
import {
  blocksOfPersonas,
  closedCommunities,
  eventsSince,
  followsOf,
  hiddenUsers,
  mutesOfPersonas,
  postsBefore,
  postsById,
} from './mirror.statements.ts'
import { Mirror, type MirrorPost, relate } from './mirror.ts'

const POSTS_PER_READ = 5_000
const USERS_PER_READ = 2_000
const EVENTS_PER_READ = 5_000
/** How many posts the mirror keeps: about 150 MB. */
const MOST_POSTS = 400_000

/** A mirror that follows the event log. */
export class FollowedMirror {
  readonly mirror: Mirror
  readonly #runtime: Runtime
  #sequence: string

  private constructor(runtime: Runtime, mirror: Mirror, sequence: string) {
    this.#runtime = runtime
    this.mirror = mirror
    this.#sequence = sequence
  }

  /** Reads everything that the home timelines of these personas need. */
  static async open(
    runtime: Runtime,
    { seed, userIds }: { seed: number; userIds: readonly string[] },
    most = MOST_POSTS,
  ): Promise<FollowedMirror> {
    const { database } = runtime
    // Read first: what changes while the rest is read comes again as an event.
    const sequence = await readHead(database)
    const mirror = new Mirror(most)
    for (const id of userIds) mirror.numberOf(id)
    await readFollows(runtime, mirror, userIds)
    const [mutes, blocks, hidden, closed] = await Promise.all([
      mutesOfPersonas.all(database, seed, userIds.length),
      blocksOfPersonas.all(database, seed, userIds.length),
      hiddenUsers.all(database),
      closedCommunities.all(database),
    ])
    for (const { source_id, target_id } of mutes)
      relate(mirror.mutes, mirror.numberOf(source_id), mirror.numberOf(target_id), true)
    for (const { source_id, target_id } of blocks) setBlock(mirror, source_id, target_id, true)
    for (const row of hidden) {
      if (row.protected) mirror.hide(row.id, 'protected', true)
      if (row.suspended) mirror.hide(row.id, 'suspended', true)
    }
    for (const { id } of closed) mirror.closedCommunities.add(id)
    await loadPosts(runtime, mirror, most)
    const followed = new FollowedMirror(runtime, mirror, sequence)
    await followed.sync()
    return followed
  }

  #running: Promise<number> = Promise.resolve(0)
  #waiting: Promise<number> | undefined

  /** Applies everything that was committed until now. Returns how many events that were. */
  sync(): Promise<number> {
    // One after the other: each event is applied once. Who comes while one is in progress shares the next.
    this.#waiting ??= this.#running
      .catch(() => 0)
      .then(() => {
        this.#waiting = undefined
        this.#running = this.#sync()
        return this.#running
      })
    return this.#waiting
  }

  async #sync(): Promise<number> {
    let count = 0
    for (;;) {
      const events = await eventsSince.all(this.#runtime.database, this.#sequence, EVENTS_PER_READ)
      const logged = events.filter((event) => event.sequence !== null)
      // More of the log comes before what is not in it yet.
      const isAll = logged.length < EVENTS_PER_READ
      await this.#apply(isAll ? events : logged)
      count += logged.length
      if (logged.length > 0) this.#sequence = logged.at(-1)!.sequence!
      if (isAll) break
    }
    this.mirror.trim()
    return count
  }

  /** Posts by their ids, also such that the mirror does not keep. */
  async describe(ids: readonly string[]): Promise<Map<string, MirrorPost>> {
    const found = new Map<string, MirrorPost>()
    const missing: string[] = []
    for (const id of ids) {
      const kept = this.mirror.byId.get(id)
      if (kept) found.set(id, kept)
      else missing.push(id)
    }
    if (missing.length > 0)
      for (const row of await postsById.all(this.#runtime.database, missing))
        found.set(row.id, this.mirror.describe(row))
    return found
  }

  async #apply(events: readonly MirrorEvent[]): Promise<void> {
    const created = events.flatMap((event) => createdPost(event) ?? [])
    const missing = created.filter((id) => !this.mirror.byId.has(id))
    for (let from = 0; from < missing.length; from += POSTS_PER_READ)
      for (const row of await postsById.all(this.#runtime.database, missing.slice(from, from + POSTS_PER_READ)))
        this.mirror.add(row)
    for (const event of events) applyEvent(this.mirror, event)
  }
}

interface MirrorEvent {
  /** Null where it is not in the log yet: it comes again. */
  sequence: string | null
  type: string
  actor_id: string | null
  target_id: string | null
  post_id: string | null
  payload: unknown
}

async function readFollows({ database }: Runtime, mirror: Mirror, userIds: readonly string[]): Promise<void> {
  const read = (from: number) =>
    from < userIds.length ? followsOf.all(database, userIds.slice(from, from + USERS_PER_READ)) : Promise.resolve([])
  let next = read(0)
  for (let from = 0; from < userIds.length; from += USERS_PER_READ) {
    const rows = await next
    // The database reads while these are converted.
    next = read(from + USERS_PER_READ)
    for (const { source_id, target_ids } of rows) {
      const targets = target_ids.split(',').map((id) => mirror.numberOf(id))
      mirror.follows.set(mirror.numberOf(source_id), targets)
    }
  }
}

async function loadPosts(runtime: Runtime, mirror: Mirror, most: number): Promise<void> {
  let before = LARGEST_ID
  let loaded = 0
  const pages = []
  while (loaded < most) {
    const rows = await postsBefore.all(runtime.database, before, Math.min(POSTS_PER_READ, most - loaded))
    pages.push(rows)
    loaded += rows.length
    if (rows.length < Math.min(POSTS_PER_READ, most - (loaded - rows.length))) break
    before = rows.at(-1)!.id
  }
  // The oldest first: originals before their reposts, and what is to be dropped first comes first.
  for (const rows of pages.reverse()) for (const row of rows.reverse()) mirror.add(row)
  if (loaded >= most && before !== LARGEST_ID) mirror.floor = Number(BigInt(before) >> 10n)
}

const createdPost = ({ type, post_id, payload }: MirrorEvent): string | undefined =>
  type === 'post.create' || type === 'post.edit'
    ? (post_id ?? undefined)
    : type === 'repost.create'
      ? (payload as { repost_id: string }).repost_id
      : undefined

function setBlock(mirror: Mirror, source: string, target: string, isThere: boolean): void {
  const [one, other] = [mirror.numberOf(source), mirror.numberOf(target)]
  relate(mirror.blocks, one, other, isThere)
  relate(mirror.blocks, other, one, isThere)
}

function setFollow(mirror: Mirror, source: string, target: string, isThere: boolean): void {
  const one = mirror.numberOf(source)
  const other = mirror.numberOf(target)
  const follows = mirror.follows.get(one)
  const at = follows?.indexOf(other) ?? -1
  if (isThere && at < 0) {
    if (follows) follows.push(other)
    else mirror.follows.set(one, [other])
  } else if (!isThere && at >= 0) follows!.splice(at, 1)
}

type Change = (mirror: Mirror, event: { actor: string; target: string; payload: unknown }) => void

const CHANGES: Record<string, Change> = {
  'post.delete': (mirror, { payload }) => {
    for (const id of (payload as { version_ids: string[] }).version_ids) mirror.remove(id)
  },
  'repost.delete': (mirror, { payload }) => mirror.remove((payload as { repost_id: string }).repost_id),
  'follow.follow': (mirror, { actor, target }) => setFollow(mirror, actor, target, true),
  'follow.unfollow': (mirror, { actor, target }) => setFollow(mirror, actor, target, false),
  'mute.mute': (mirror, { actor, target }) =>
    relate(mirror.mutes, mirror.numberOf(actor), mirror.numberOf(target), true),
  'mute.unmute': (mirror, { actor, target }) =>
    relate(mirror.mutes, mirror.numberOf(actor), mirror.numberOf(target), false),
  'block.block': (mirror, { actor, target }) => setBlock(mirror, actor, target, true),
  'block.unblock': (mirror, { actor, target }) => setBlock(mirror, actor, target, false),
  'user.protect': (mirror, { actor }) => mirror.hide(actor, 'protected', true),
  'user.unprotect': (mirror, { actor }) => mirror.hide(actor, 'protected', false),
  'user.suspend': (mirror, { actor }) => mirror.hide(actor, 'suspended', true),
  'user.unsuspend': (mirror, { actor }) => mirror.hide(actor, 'suspended', false),
  'user.delete': (mirror, { actor }) => mirror.hide(actor, 'gone', true),
}

/** What events do to the counts of a post. They are applied once, unlike the changes above, which may come twice. */
const COUNTS: Record<string, ['likes' | 'reposts', 1 | -1]> = {
  'like.create': ['likes', 1],
  'like.delete': ['likes', -1],
  'repost.create': ['reposts', 1],
  'repost.delete': ['reposts', -1],
}

function applyEvent(mirror: Mirror, event: MirrorEvent): void {
  const { sequence, type, actor_id, target_id, post_id, payload } = event
  CHANGES[type]?.(mirror, { actor: actor_id ?? '', target: target_id ?? '', payload })
  const counted = sequence === null ? undefined : COUNTS[type]
  const post = counted && post_id !== null ? mirror.byId.get(post_id) : undefined
  if (post) post[counted![0]] += counted![1]
}
