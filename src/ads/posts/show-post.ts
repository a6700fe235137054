import { ADS_KEPT_NAMES } from '../../legacy-words.ts'
import { composeV1Post, type V1Post, type V1PostContext, type V1TextMode } from '../../social/v1/compose-post.ts'
import type { V1Object } from '../../social/v1/v1-json.ts'
import { showTime } from '../kit/times.ts'
import type { PostState } from './post-kinds.ts'

/** A published, scheduled or drafted post with everything that is shown of it. */
export interface ShownPost extends V1Post {
  state: PostState
  name: string | null
  nullcast: boolean
  scheduledAt: Date | null
  scheduledStatus: 'SCHEDULED' | 'FAILED' | 'SUCCESS' | null
  replySettings: string
}

interface PostView {
  mode: Exclude<V1TextMode, 'stream'>
  trimUser: boolean
  /** Reads show who may reply; the answer to the call that creates a post does not. */
  isRead: boolean
}

/** A post in the shape of version 1.1, with the members that advertising adds. */
export function showPost(post: ShownPost, { mode, trimUser, isRead }: PostView, context: V1PostContext): V1Object {
  return {
    ...composeV1Post(post, context, { textMode: mode, trimUser, unsetText: '', sensitivity: 'with links' }),
    post_id: post.id,
    name: post.name,
    nullcast: post.nullcast,
    [ADS_KEPT_NAMES.postType]: post.state,
    scheduled_at: post.scheduledAt && showTime(post.scheduledAt),
    scheduled_status: post.scheduledStatus,
    conversation_settings: isRead ? CONVERSATIONS[post.replySettings] : undefined,
    // A post that is not published shows null where it has no card.
    card_uri: post.cardUri ?? (post.state === 'PUBLISHED' ? undefined : null),
    scopes: post.nullcast ? { followers: false } : undefined,
    geo: null,
    coordinates: null,
    contributors: null,
  }
}

// Settings without a name in this interface are left out.
const CONVERSATIONS: Record<string, string> = {
  everyone: 'EVERYONE',
  following: 'FOLLOWING',
  mentionedUsers: 'MENTIONED_USERS',
}
