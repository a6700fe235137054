import type { ActionKind } from '../actions/action-kinds.ts'

/** What a persona decides to do. Which members an action needs is in `action-kinds.ts`. */
export interface Action {
  kind: ActionKind
  post_id?: string
  user_id?: string
  list_id?: string
  text?: string
  query?: string
}

/** A persona as behaviours see them. */
export interface PersonaView {
  id: string
  username: string
  position: number
  language: string
  country: string
  age: number | null
  gender: 1 | 2 | null
  interests: readonly string[]
  topics: readonly string[]
  activity: number
  /** What the behaviour remembers about them: any JSON object of at most 4 kB. */
  memory: Record<string, unknown>
}

/** A post of a timeline as behaviours see it. */
export interface PostView {
  id: string
  author_id: string
  text: string
  lang: string
  topic: string | null
  created_at: string
  /** Not shown at the last look. */
  is_new: boolean
  in_reply_to_user_id: string | null
  quoted_post_id: string | null
  reposted_post_id: string | null
  reposted_author_id: string | null
  has_media: boolean
  like_count: number
  repost_count: number
}

/** One look: a persona, what they see, and when. */
export interface SeenTimeline {
  persona: PersonaView
  timeline: PostView[]
  /** Product time, ISO 8601. */
  at: string
  tick: number
  /** A number from 0 to below 1 that depends on seed, persona and tick: with it decisions can be repeated. */
  draw: number
}

/** What follows from a look. */
export interface Decision {
  actions: Action[]
  /** Replaces what is remembered. */
  memory?: Record<string, unknown>
}

/** Decides for all personas who look in a tick, in their order. */
export interface Behaviour {
  decide(looks: readonly SeenTimeline[]): Promise<Decision[]>
  close(): Promise<void>
}
