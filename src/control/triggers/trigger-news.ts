import { forbidden } from '../../api-kit/writing/problems.ts'
import { storiesOfPosts } from '../../social/news/news.statements.ts'
import { runTopicWork } from '../../social/topic-work.ts'
import { userRow } from '../../social/users/user.parts.ts'
import { firstUserId } from '../../world/first-facts.ts'
import { type StoredUser, type Trigger, type TriggerContext, type TriggerResult, writePost } from './trigger-context.ts'

const CANDIDATES = [0, 1, 2, 3, 4, 5]
const AUTHORS = 3

const isPublic = (user: StoredUser): boolean => !user.protected && !user.suspended

/** Three users write about the same thing. Then the work that makes stories runs, as it does every five minutes. */
async function newStory(context: TriggerContext): Promise<TriggerResult> {
  const { runtime, user, target, first } = context
  if (!isPublic(user)) throw forbidden(`@${user.username} is protected. A story is made from public posts.`)
  const others = await runtime.parts.many(userRow, CANDIDATES.map(firstUserId))
  const authors = [...new Map([user, target, ...others.values()].map((one) => [one.id, one])).values()]
  const writers = authors.filter(isPublic).slice(0, AUTHORS)
  if (writers.length < AUTHORS) throw forbidden('A story needs three public users of the first world.')
  const tag = `story${runtime.ids.next()}`
  const text = `${context.text ?? 'A triggered story about something that happened'} #${tag}`
  let postId = ''
  for (const writer of writers) {
    postId = await writePost(runtime, writer, { text })
    first.push(`@${writer.username} wrote post ${postId}`)
  }
  await runTopicWork(runtime)
  const story = await storiesOfPosts.first(runtime.database, [postId])
  if (!story) throw forbidden('The posts did not become a story: use a text with more words of its own.')
  const event = { type: 'news.new' as const, news_id: story.story_id }
  return { done: `The story ${story.story_id} was made from three posts`, ids: { news_id: story.story_id }, event }
}

export const newsTriggers: Readonly<Record<string, Trigger>> = {
  'news.new': {
    does: 'U, T and a third user write about the same, which becomes a story',
    takes: ['target', 'text'],
    run: newStory,
  },
}
