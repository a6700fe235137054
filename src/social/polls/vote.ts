import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { forbidden, invalidParameter, objectNotFound } from '../../api-kit/writing/problems.ts'
import { findPostToActOn } from '../posts/find-visible-post.ts'
import { userRow } from '../users/user.parts.ts'
import { pollRow } from './poll.object.ts'
import { voteAdd, voteOf } from './vote.statements.ts'

/** What a user votes for: the position of an option, from 1. */
export interface Vote {
  postId: string
  position: number
}

/** What became of a vote. */
export interface CastVote extends Vote {
  pollId: string
  /** False where the user had voted for the same option before. */
  isNew: boolean
}

/**
 * Votes in the poll of a post, as a user who may see the post. Everybody votes once, until the poll ends, and a vote cannot be changed.
 * The interface has no operation and no event for this.
 */
export async function voteInPoll(
  runtime: Runtime,
  context: ReadContext,
  userId: string,
  { postId, position }: Vote,
): Promise<CastVote> {
  const voter = await runtime.parts.one(userRow, userId)
  if (voter?.suspended) throw forbidden(`@${voter.username} is suspended.`, 'the account of the user is suspended')
  const post = await findPostToActOn(context, postId, 'post_id')
  const pollId = post.poll_id
  const poll = pollId === null ? undefined : await runtime.parts.one(pollRow, pollId)
  if (pollId === null || !poll) throw invalidParameter('post_id', postId, `The post [${postId}] has no poll.`)
  const positions = poll.labels.map((_label, index) => index + 1)
  if (!positions.includes(position))
    throw invalidParameter('option', String(position), `option is not one of [${positions.join(',')}]`)
  const now = new Date(runtime.clock.now())
  const cast = await change(runtime, async (tx, invalidate) => {
    const row = await voteAdd.first(tx, pollId, userId, position, runtime.ids.next(), now)
    if (row?.is_new) invalidate('poll', pollId)
    if (!row || row.is_new || row.earlier !== null || !row.is_open) return row
    // The same user voted in the same moment.
    return { ...row, earlier: (await voteOf.first(tx, pollId, userId))?.position ?? null }
  })
  if (!cast?.has_option) throw objectNotFound(resourceNotFound('post', 'post_id', postId))
  if (!cast.is_new && cast.earlier !== position) throw cast.earlier === null ? ended() : votedAlready()
  return { pollId, postId, position, isNew: cast.is_new }
}

const ended = () => forbidden('This poll has ended.', 'the poll has ended')
const votedAlready = () =>
  forbidden('You have already voted in this poll, and a vote cannot be changed.', 'the user has voted in this poll')
