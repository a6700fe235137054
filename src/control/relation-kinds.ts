import type { Invalidate, Runtime } from '../api-kit/runtime.ts'
import { blockUser, unblockUser } from '../social/blocks/block.ts'
import { follow, unfollow } from '../social/follows/follow.ts'
import { mute, unmute } from '../social/mutes/mute.ts'
import type { UserPair } from '../social/user-pair.ts'
import type { Tx } from '../storage/database.ts'

type Act = (tx: Tx, invalidate: Invalidate, runtime: Runtime, pair: UserPair) => Promise<unknown>
interface RelationKind {
  /** The member of a relation that is true while this kind exists. */
  state: 'follows' | 'mutes' | 'blocks'
  make: Act
  end: Act
  made: string
  ended: string
}

/** Relations between two users that an operator can create and end. */
export const RELATIONS: Record<'follow' | 'mute' | 'block', RelationKind> = {
  follow: {
    state: 'follows',
    // The operator acts for both users, so a protected account does not have to approve.
    make: (tx, invalidate, runtime, pair) => follow(tx, invalidate, runtime, pair, { approved: true }),
    end: unfollow,
    made: 'followed',
    ended: 'stopped following',
  },
  mute: { state: 'mutes', make: mute, end: unmute, made: 'muted', ended: 'unmuted' },
  block: { state: 'blocks', make: blockUser, end: unblockUser, made: 'blocked', ended: 'unblocked' },
}
