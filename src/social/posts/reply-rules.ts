import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { relation, userRow } from '../users/user.parts.ts'
import type { PostDraft } from './create-post.body.ts'
import { needsInvitation, replyNotAllowed } from './draft-rules.ts'
import { type PostRow, postRow } from './post.parts.ts'

interface Author {
  id: string
  verified_type: string
}

/** Rejects a reply that the settings of the conversation or the tier of the app do not allow. */
export async function checkReply(
  context: ReadContext,
  caller: Caller,
  author: Author,
  answered: PostRow,
): Promise<void> {
  const root = (await context.parts.one(postRow, answered.conversation_id)) ?? answered
  if (!(await settingsAllow(context, author, root)))
    throw replyNotAllowed(`the reply settings of the conversation: ${root.reply_settings}`)
  if (needsInvitation(caller) && answered.author_id !== author.id && !(await isInvited(context, author.id, answered))) {
    throw replyNotAllowed(
      `on the tier ${caller.app.tier} the author of the answered post must have mentioned or quoted the replying user`,
    )
  }
}

async function settingsAllow(context: ReadContext, author: Author, root: PostRow): Promise<boolean> {
  if (root.reply_settings === 'everyone' || root.author_id === author.id || root.mentioned_user_ids.includes(author.id))
    return true
  if (root.reply_settings === 'verified') return author.verified_type !== 'none'
  if (root.reply_settings === 'following') {
    return (await context.parts.one(relation, `${root.author_id}:${author.id}`))?.follows ?? false
  }
  return false
}

async function isInvited(context: ReadContext, replier: string, answered: PostRow): Promise<boolean> {
  if (answered.mentioned_user_ids.includes(replier)) return true
  if (answered.quoted_post_id === null) return false
  return (await context.parts.one(postRow, answered.quoted_post_id))?.author_id === replier
}

/** The mentions before the text of a reply, where the draft asks for them: the author of the answered post and whom they mentioned. */
export async function replyPrefix(
  context: ReadContext,
  replier: string,
  answered: PostRow,
  draft: PostDraft,
): Promise<string> {
  if (!draft.reply?.auto_populate_reply_metadata) return ''
  const excluded = new Set([...(draft.reply.exclude_reply_user_ids ?? []), replier])
  const ids = [...new Set([answered.author_id, ...answered.mentioned_user_ids])].filter((id) => !excluded.has(id))
  const users = await context.parts.many(userRow, ids)
  const typed = new Set((draft.text ?? '').toLowerCase().match(/@\w+/g) ?? [])
  const names = ids
    .flatMap((id) => users.get(id)?.username ?? [])
    .filter((name) => !typed.has(`@${name.toLowerCase()}`))
  return names.map((name) => `@${name} `).join('')
}
