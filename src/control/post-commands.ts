import { closed, Type } from '../api-kit/declaring/schema.ts'
import { createBookmarkFolder, fileBookmark } from '../social/bookmarks/bookmark-folders.ts'
import { storeFacts } from '../social/insights/fact-buffer.ts'
import { readFacts, ViewSchema } from '../social/insights/read-views.ts'
import { pollRow } from '../social/polls/poll.object.ts'
import { voteInPoll } from '../social/polls/vote.ts'
import { pinPost } from '../social/users/pin-post.ts'
import { defineCommand, findUser, NameOrId } from './command.ts'
import { actAs } from './triggers/trigger-context.ts'

// Actions that the platform offers only on its own pages: the interface has no operation for them.

const Id = Type.String({ pattern: '^[0-9]{1,18}$|^[0-9]{19}$' })

/** Pins one of the user's posts to the profile, or without a post unpins. */
export const userPin = defineCommand(
  'user.pin',
  closed({ user: NameOrId, post: Type.Optional(Id) }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    await pinPost(runtime, user.id, args.post ?? null)
    return { user: user.username, pinned_post_id: args.post ?? null }
  },
)

export const bookmarkFolderCreate = defineCommand(
  'bookmark.folder',
  closed({ user: NameOrId, name: Type.String({ minLength: 1, maxLength: 100 }) }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    return { ...(await createBookmarkFolder(runtime, user.id, args.name)), user: user.username }
  },
)

/** Moves a bookmark into a folder, or without a folder out of it. */
export const bookmarkFileCommand = defineCommand(
  'bookmark.file',
  closed({ user: NameOrId, post: Id, folder: Type.Optional(Id) }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    await fileBookmark(runtime, user.id, args.post, args.folder ?? null)
    return { user: user.username, post_id: args.post, folder_id: args.folder ?? null }
  },
)

/** Votes in the poll of a post. Options are counted from 1. */
export const pollVoteCommand = defineCommand(
  'poll.vote',
  closed({ user: NameOrId, post: Id, option: Type.Integer({ minimum: 1, maximum: 4 }) }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    const vote = { postId: args.post, position: args.option }
    const { pollId } = await voteInPoll(runtime, actAs(runtime, user).context, user.id, vote)
    const poll = await runtime.parts.one(pollRow, pollId)
    return { user: user.username, post_id: args.post, option: args.option, votes: poll?.votes ?? [] }
  },
)

const MOST_VIEWS = 10_000

/** Counts views, clicks and plays of posts, in bulk: all of them or none. */
export const viewsAdd = defineCommand(
  'views.add',
  closed({ views: Type.Array(ViewSchema, { minItems: 1, maxItems: MOST_VIEWS }) }),
  async (runtime, { views }) => {
    const facts = await readFacts(runtime, views)
    await storeFacts(runtime, facts)
    return { added: facts.reduce((sum, fact) => sum + fact.count, 0) }
  },
)
