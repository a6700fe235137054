import type { NewPost } from '../../../social/posts/insert-posts.ts'
import { statement } from '../../../storage/statement.ts'
import type { Applying } from './applying.ts'
import type { FoundPost } from './find-posts.ts'

const votesSet = statement(
  'world_votes_set',
  { poll_id: 'int8' },
  `update poll_option o set votes = v.votes
     from (select g.poll_id, g.position, greatest(g.votes, (select count(*)::int from poll_vote p where p.poll_id = g.poll_id and p.position = g.position)) as votes
             from unnest($1::bigint[], $2::int[], $3::int[]) as g (poll_id, position, votes)) v
    where o.poll_id = v.poll_id and o.position = v.position and o.votes <> v.votes returning o.poll_id`,
)

/** Sets the votes of polls to what a file says, or to those of users where they are more. */
export async function setVotes(run: Applying, posts: readonly FoundPost[], made: readonly NewPost[]): Promise<void> {
  const votes = posts.flatMap(({ draft }, index) =>
    (draft.poll?.votes ?? []).map((count, at) => ({ pollId: made[index]!.poll_id!, position: at + 1, count })),
  )
  if (votes.length === 0) return
  const changed = await votesSet.all(
    run.tx,
    votes.map((vote) => vote.pollId),
    votes.map((vote) => vote.position),
    votes.map((vote) => vote.count),
  )
  const ids = new Set(changed.map((row) => row.poll_id))
  for (const [index, { row, id }] of posts.entries())
    if (row && ids.has(made[index]!.poll_id ?? '')) run.report.add('changed', 'poll', `of post ${id}: votes`)
}
