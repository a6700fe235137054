import { hash } from '../../process/hash.ts'
import type { MirrorPost } from '../mirror/mirror.ts'
import type { Persona } from '../personas/load-personas.ts'
import { searchedWords, typedText } from '../personas/persona-text.ts'
import type { Action } from './behaviour.ts'

/** What the default behaviour remembers: the last thing of each kind, so it can be undone. */
interface Memory {
  liked?: string
  bookmarked?: string
  reposted?: string
  posted?: string
  muted?: string
  blocked?: string
  list?: string
  listed?: string
}

/** A look, in the form in which it costs least. */
export interface LookAtHome {
  seed: number
  tick: number
  persona: Persona
  timeline: readonly MirrorPost[]
  /** Posts since this moment are new to the persona. */
  sinceMs: number
  /** By number in the mirror. */
  userIds: readonly string[]
  /** The id that the n-th action of this look will make, for what is remembered. */
  madeId(nth: number): string
}

const ON_POST = 21
const ON_LOOK = 22

// Chances of somebody of mean activity. For a post: those of one that suits neither badly nor well.
const POST_CHANCES = [
  ['like', 0.02],
  ['expand', 0.02],
  ['watch', 0.02],
  ['click_profile', 0.006],
  ['click_link', 0.005],
  ['reply', 0.004],
  ['repost', 0.0035],
  ['bookmark', 0.0025],
  ['click_hashtag', 0.002],
  ['read_post', 0.002],
  ['open_media', 0.002],
  ['quote', 0.001],
  ['share', 0.001],
  ['follow', 0.001],
] as const
const POST_SUM = POST_CHANCES.reduce((sum, [, chance]) => sum + chance, 0)

// Independent of how well posts suit.
const LOOK_CHANCES = [
  ['post', 0.013],
  ['search', 0.002],
  ['read_mentions', 0.002],
  ['read_trends', 0.0008],
  ['read_profile', 0.001],
  ['message', 0.0008],
  ['unlike', 0.0004],
  ['unbookmark', 0.0003],
  ['unrepost', 0.0002],
  ['unfollow', 0.0006],
  ['mute', 0.0002],
  ['unmute', 0.0002],
  ['block', 0.00008],
  ['unblock', 0.0001],
  ['delete_post', 0.0002],
  ['hide_reply', 0.0002],
  ['search_users', 0.0003],
  ['create_list', 0.0002],
  ['add_to_list', 0.0008],
  ['remove_from_list', 0.0002],
  ['pin_list', 0.0001],
  ['unpin_list', 0.0001],
  ['read_list', 0.0003],
] as const
const LOOK_SUM = LOOK_CHANCES.reduce((sum, [, chance]) => sum + chance, 0)
const FULL = 0x1_0000_0000

const FAVOURITE = 3
const LIKED_TOPIC = 2
const OTHER_TOPIC = 0.6
const OTHER_LANGUAGE = 0.25

/** How well a post suits a persona; 1 is the mean. */
export function suitability(persona: Persona, post: MirrorPost): number {
  const { topics, vocabulary } = persona
  const at = post.topic < 0 ? -1 : topics.indexOf(post.topic)
  const taste = post.topic < 0 ? 1 : at === 0 ? FAVOURITE : at > 0 ? LIKED_TOPIC : OTHER_TOPIC
  const language = post.lang === vocabulary.lang ? 1 : OTHER_LANGUAGE
  return taste * language * (1 + Math.min(post.likes, 20) / 20)
}

/** What a persona does after a look; undefined if nothing, which is usual. */
export function decideByDefault(look: LookAtHome): Action[] | undefined {
  const { seed, tick, persona, timeline, sinceMs } = look
  const { position, activity } = persona
  let actions: Action[] | undefined
  for (let at = 0; at < timeline.length; at++) {
    const post = timeline[at]!
    if (post.atMs < sinceMs) continue
    if (post.authorId === persona.userId) continue
    const drawn = hash(seed, position, post.key | 0, ON_POST) / FULL
    const scale = activity * suitability(persona, post)
    if (drawn >= POST_SUM * scale) continue
    const action = onPost(look, post, drawn / scale)
    if (!action) continue
    actions ??= []
    actions.push(action)
  }
  const drawn = hash(seed, position, tick, ON_LOOK) / FULL
  if (drawn >= LOOK_SUM * activity) return actions
  const action = onLook(look, drawn / activity, actions?.length ?? 0)
  if (!action) return actions
  actions ??= []
  actions.push(action)
  return actions
}

function onPost(look: LookAtHome, post: MirrorPost, drawn: number): Action | undefined {
  const { persona } = look
  const chosen = choose(POST_CHANCES, drawn)
  const post_id = post.originalId ?? post.id
  switch (chosen) {
    case 'like':
      remember(persona, 'liked', post_id)
      return { kind: 'like', post_id }
    case 'repost':
      remember(persona, 'reposted', post_id)
      return { kind: 'repost', post_id }
    case 'bookmark':
      remember(persona, 'bookmarked', post_id)
      return { kind: 'bookmark', post_id }
    case 'reply':
      return { kind: 'reply', post_id, text: write(look, 'reply', post.topic, post.key | 0) }
    case 'quote':
      return { kind: 'quote', post_id, text: write(look, 'post', post.topic, post.key | 0) }
    case 'follow': {
      // Somebody new is met by what others repost.
      const met = post.originalAuthor < 0 ? undefined : look.userIds[post.originalAuthor]
      return met === undefined || met === persona.userId ? undefined : { kind: 'follow', user_id: met }
    }
    case 'watch':
    case 'open_media':
      return post.hasMedia ? { kind: chosen, post_id } : undefined
    case 'click_link':
      return post.text.includes('http') ? { kind: chosen, post_id } : undefined
    case 'click_hashtag':
      return post.topic >= 0 ? { kind: chosen, post_id } : undefined
    default:
      return { kind: chosen, post_id }
  }
}

function onLook(look: LookAtHome, drawn: number, before: number): Action | undefined {
  const { persona, tick, timeline, seed } = look
  const chosen = choose(LOOK_CHANCES, drawn)
  const memory = (persona.memory ?? {}) as Memory
  const topic = persona.topics[hash(seed, persona.position, tick, 31) % persona.topics.length]!
  const other = timeline.find((post) => post.authorId !== persona.userId)?.authorId
  const undo = (name: keyof Memory, make: (id: string) => Action): Action | undefined => {
    const id = memory[name]
    if (id === undefined) return undefined
    remember(persona, name, undefined)
    return make(id)
  }
  const withOther = (kind: 'read_profile' | 'unfollow' | 'mute' | 'block' | 'message'): Action | undefined =>
    other === undefined ? undefined : { kind, user_id: other }
  const withList = (kind: 'pin_list' | 'unpin_list' | 'read_list'): Action | undefined =>
    memory.list === undefined ? undefined : { kind, list_id: memory.list }
  switch (chosen) {
    case 'post':
      remember(persona, 'posted', look.madeId(before))
      return { kind: 'post', text: write(look, 'post', topic, tick) }
    case 'search':
      return { kind: 'search', query: searchedWords(persona.vocabulary, topic, tick) }
    case 'search_users':
      return {
        kind: 'search_users',
        query: persona.vocabulary.firstNames[tick % persona.vocabulary.firstNames.length]!,
      }
    case 'message': {
      const action = withOther('message')
      return action && { ...action, text: write(look, 'message', topic, tick) }
    }
    case 'mute':
      remember(persona, 'muted', other)
      return withOther('mute')
    case 'block':
      remember(persona, 'blocked', other)
      return withOther('block')
    case 'read_profile':
    case 'unfollow':
      return withOther(chosen)
    case 'unlike':
      return undo('liked', (post_id) => ({ kind: 'unlike', post_id }))
    case 'unbookmark':
      return undo('bookmarked', (post_id) => ({ kind: 'unbookmark', post_id }))
    case 'unrepost':
      return undo('reposted', (post_id) => ({ kind: 'unrepost', post_id }))
    case 'delete_post':
      return undo('posted', (post_id) => ({ kind: 'delete_post', post_id }))
    case 'unmute':
      return undo('muted', (user_id) => ({ kind: 'unmute', user_id }))
    case 'unblock':
      return undo('blocked', (user_id) => ({ kind: 'unblock', user_id }))
    case 'hide_reply': {
      const reply = timeline.find((post) => post.replyTo >= 0 && look.userIds[post.replyTo] === persona.userId)
      return reply && reply.authorId !== persona.userId ? { kind: 'hide_reply', post_id: reply.id } : undefined
    }
    case 'create_list':
      if (memory.list !== undefined) return undefined
      remember(persona, 'list', look.madeId(before))
      return {
        kind: 'create_list',
        text: persona.vocabulary.tags[topic % persona.vocabulary.tags.length]!.slice(1, 26),
      }
    case 'add_to_list':
      if (memory.list === undefined || other === undefined) return undefined
      remember(persona, 'listed', other)
      return { kind: 'add_to_list', list_id: memory.list, user_id: other }
    case 'remove_from_list':
      return memory.list === undefined
        ? undefined
        : undo('listed', (user_id) => ({ kind: 'remove_from_list', list_id: memory.list!, user_id }))
    case 'pin_list':
    case 'unpin_list':
    case 'read_list':
      return withList(chosen)
    default:
      return { kind: chosen }
  }
}

function choose<K extends string>(chances: readonly (readonly [K, number])[], drawn: number): K {
  let left = drawn
  for (const [kind, chance] of chances) {
    if (left < chance) return kind
    left -= chance
  }
  return chances.at(-1)![0]
}

/** Changes what is remembered. A new object says that it has to be stored. */
function remember(persona: Persona, name: keyof Memory, value: string | undefined): void {
  persona.memory = { ...persona.memory, [name]: value }
}

const write = (
  { seed, persona }: LookAtHome,
  kind: 'post' | 'reply' | 'message',
  topic: number,
  number: number,
): string =>
  typedText(persona.vocabulary, kind, topic < 0 ? persona.topics[0]! : topic, [seed, persona.position, number])
