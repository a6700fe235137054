import { isNewer, type Mirror, type MirrorPost } from './mirror.ts'

export const HOME_POSTS = 20

/**
 * Reads home timelines from the mirror, as `getUsersTimeline` does: the newest posts of a persona and of whom they follow without those
 * they mute, replies only between these, and then without what the persona may not see. Answers undefined where the mirror does not
 * reach far enough.
 */
export class HomeReader {
  readonly #mirror: Mirror
  #stamps = new Int32Array(1024)
  #stamp = 0
  // Filled again for each look.
  readonly #page: MirrorPost[] = []

  constructor(mirror: Mirror) {
    this.#mirror = mirror
  }

  /** The newest posts first. The list is only valid until the next look. */
  read(viewer: number): readonly MirrorPost[] | undefined {
    const mirror = this.#mirror
    const follows = mirror.follows.get(viewer) ?? NOBODY
    const mutes = mirror.mutes.get(viewer)
    this.#begin()
    this.#stamps[viewer] = this.#stamp
    for (let at = 0; at < follows.length; at++) if (!mutes?.has(follows[at]!)) this.#stamps[follows[at]!] = this.#stamp
    this.#page.length = 0
    let deepest = this.#addAuthor(viewer, true)
    for (let at = 0; at < follows.length; at++) {
      const author = follows[at]!
      if (mutes?.has(author)) continue
      const floor = this.#addAuthor(author, false)
      if (floor > deepest) deepest = floor
    }
    const page = this.#page
    // A post that is not known could belong on the page.
    if (deepest >= 0 && (page.length < HOME_POSTS || page[page.length - 1]!.key <= deepest)) return undefined
    return this.#visible(viewer)
  }

  #begin(): void {
    if (this.#stamps.length < this.#mirror.users) {
      const grown = new Int32Array(Math.max(this.#mirror.users, this.#stamps.length * 2))
      grown.set(this.#stamps)
      this.#stamps = grown
    }
    this.#stamp += 1
  }

  /** Adds the posts of an author that belong on the page, and returns up to where nothing is known about them. */
  #addAuthor(author: number, isOwn: boolean): number {
    const posts = this.#mirror.postsOf(author)
    const page = this.#page
    for (let at = posts.length - 1; at >= 0; at--) {
      const post = posts[at]!
      if (page.length === HOME_POSTS && !isNewer(post, page[HOME_POSTS - 1]!)) break
      if (post.replyTo >= 0 && !isOwn && this.#stamps[post.replyTo] !== this.#stamp) continue
      let to = page.length < HOME_POSTS ? page.length : HOME_POSTS - 1
      while (to > 0 && isNewer(post, page[to - 1]!)) {
        page[to] = page[to - 1]!
        to -= 1
      }
      page[to] = post
    }
    return this.#mirror.floorOf(author)
  }

  #visible(viewer: number): readonly MirrorPost[] | undefined {
    const page = this.#page
    const blocks = this.#mirror.blocks.get(viewer)
    let kept = 0
    for (let at = 0; at < page.length; at++) {
      const post = page[at]!
      if (this.#isHidden(viewer, post, blocks)) continue
      // The members of communities are not mirrored.
      if (post.communityId !== null && this.#mirror.closedCommunities.has(post.communityId)) return undefined
      page[kept++] = post
    }
    page.length = kept
    return page
  }

  #isHidden(viewer: number, post: MirrorPost, blocks: ReadonlySet<number> | undefined): boolean {
    const mirror = this.#mirror
    const { author, originalAuthor: original } = post
    if (author !== viewer && (mirror.isAway(author) || blocks?.has(author))) return true
    if (original >= 0 && original !== viewer) {
      if (mirror.isAway(original) || blocks?.has(original)) return true
      // Muting does not end a follow.
      if (mirror.isProtected(original) && !mirror.follows.get(viewer)?.includes(original)) return true
    }
    return false
  }
}

const NOBODY: readonly number[] = []
