import type { Caller } from '../../api-kit/declaring/caller.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { relation, userRow } from '../users/user.parts.ts'
import type { PostDraft } from './create-post.body.ts'
import { needsSummons, replyNotAllowed } from './draft-rules.ts'
import { type PostRow, postRow } from './post.parts.ts'

interface Author {
  id: string
  verified_type: string
}

/** Refuses an answer that the conversation's settings or the tier of the app do not allow. */
export async function checkReply(
  context: ReadContext,
  caller: Caller,
  author: Author,
  answered: PostRow,
): Promise<void> {
  const root = (await context.parts.one(postRow, answered.conversation_id)) ?? answered
  if (!(await settingsAllow(context, author, root)))
    throw replyNotAllowed(`the conversation can be answered by: ${root.reply_settings}`)
  if (needsSummons(caller) && answered.author_id !== author.id && !(await isSummoned(context, author.id, answered))) {
    throw replyNotAllowed(
      `on the tier ${caller.app.tier} the author of the answered post must mention or quote the one who answers`,
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

async function isSummoned(context: ReadContext, replier: string, answered: PostRow): Promise<boolean> {
  if (answered.mentioned_user_ids.includes(replier)) return true
  if (answered.quoted_post_id === null) return false
  return (await context.parts.one(postRow, answered.quoted_post_id))?.author_id === replier
}

/** The mentions that go before the text of an answer when its author asks for them: the author answered and those they mentioned. */
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
