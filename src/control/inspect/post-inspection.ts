import { closed, Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { invalidParameter, objectNotFound } from '../../api-kit/writing/problems.ts'
import { isStorableId, timeOfId } from '../../process/ids.ts'
import { cashTerm, cutTerm, mentionTerm, quote, tagTerm } from '../../search/post-terms.ts'
import { tokenize } from '../../search/tokenize.ts'
import { PostId } from '../../social/ids.ts'
import { unescapeMarkup } from '../../social/text/wire-text.ts'
import { type Command, defineCommand, findUser, NameOrId } from '../command.ts'
import { beforeId, DEFAULT_LIMIT, PageArgs, paged, SearchText } from './page.ts'
import {
  type InspectedPost,
  newestPosts,
  postsInspected,
  postsOfAuthor,
  postsOfThread,
  postsWithTerms,
  versionsInspected,
} from './post.statements.ts'

const optional = Type.Optional

/** Why some or all users do not see a post. */
function hiddenBecause(row: InspectedPost): string[] {
  const reasons: Record<string, boolean> = {
    author_suspended: row.author_suspended,
    author_protected: row.author_protected,
    closed_community: row.community_closed,
    hidden_reply: row.hidden,
    superseded: row.superseded,
    promoted_only: row.nullcast,
    sandbox: row.sandbox !== null,
    withheld: row.withheld_countries.length > 0,
  }
  return Object.keys(reasons).filter((name) => reasons[name])
}

/** Operators read what the author typed. */
function shown(row: InspectedPost) {
  return {
    id: row.id,
    author: row.author,
    author_id: row.author_id,
    author_name: row.author_name,
    text: unescapeMarkup(row.text),
    created_at: new Date(timeOfId(row.id)).toISOString(),
    lang: row.lang,
    source: row.source,
    conversation_id: row.conversation_id,
    in_reply_to_post_id: row.in_reply_to_post_id ?? undefined,
    quoted_post_id: row.quoted_post_id ?? undefined,
    reposted_post_id: row.reposted_post_id ?? undefined,
    community_id: row.community_id ?? undefined,
    reply_settings: row.reply_settings,
    media: row.media_keys.length,
    sensitive: row.possibly_sensitive,
    likes: row.like_count,
    reposts: row.repost_count,
    replies: row.reply_count,
    quotes: row.quote_count,
    open_reports: row.open_reports,
    hidden_because: hiddenBecause(row),
  }
}

async function readPosts(runtime: Runtime, ids: readonly string[]) {
  const rows = new Map((await postsInspected.all(runtime.database, ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = rows.get(id)
    return row ? [shown(row)] : []
  })
}

/** The words of a text as a `tsquery`; undefined when it has none. */
function termsOf(text: string): string | undefined {
  const terms = text.split(/\s+/).flatMap((word) => {
    if (/^#./u.test(word)) return [tagTerm(word.slice(1))]
    if (/^\$./u.test(word)) return [cashTerm(word.slice(1))]
    if (/^@./u.test(word)) return [mentionTerm(word.slice(1))]
    return tokenize(word)
  })
  return terms.length === 0 ? undefined : terms.map((term) => quote(cutTerm(term))).join(' & ')
}

export const postList = defineCommand(
  'post.list',
  closed({ user: optional(NameOrId), query: optional(SearchText), ...PageArgs }),
  async (runtime, { user: who, query, after, limit = DEFAULT_LIMIT }) => {
    const { database } = runtime
    const user = who === undefined ? undefined : await findUser(runtime, who, 'user')
    const before = beforeId(after)
    const most = limit + 1
    const terms = query === undefined ? undefined : termsOf(query)
    if (query !== undefined && terms === undefined)
      throw invalidParameter('query', query, 'query must have a letter or a digit')
    const rows =
      terms !== undefined
        ? await postsWithTerms.all(database, before, most, terms, user?.id ?? null)
        : user
          ? await postsOfAuthor.all(database, before, most, user.id)
          : await newestPosts.all(database, before, most)
    const { page, next } = paged(rows, limit, (row) => row.id)
    const posts = await readPosts(
      runtime,
      page.map((row) => row.id),
    )
    return { posts, ...(next === undefined ? {} : { next }) }
  },
)

/** A post with its versions, and the conversation it is in as an operator sees it: everything, and why others do not see it. */
export const postShow = defineCommand('post.show', closed({ post: PostId, ...PageArgs }), async (runtime, args) => {
  const { after = '0', limit = DEFAULT_LIMIT } = args
  if (!isStorableId(after)) throw invalidParameter('after', after, 'after must be the next of a page before')
  const [row] = isStorableId(args.post) ? await postsInspected.all(runtime.database, [args.post]) : []
  if (!row) throw objectNotFound(resourceNotFound('post', 'post', args.post))
  const [versions, thread] = await Promise.all([
    versionsInspected.all(runtime.database, row.first_version_id),
    postsOfThread.all(runtime.database, row.conversation_id, after, limit + 1),
  ])
  const { page, next } = paged(thread, limit, (item) => item.id)
  return {
    post: shown(row),
    versions: versions.map((version) => ({
      id: version.id,
      text: unescapeMarkup(version.text),
      created_at: new Date(timeOfId(version.id)).toISOString(),
    })),
    thread: await readPosts(
      runtime,
      page.map((item) => item.id),
    ),
    ...(next === undefined ? {} : { next }),
  }
})

export const postInspection: readonly Command[] = [postList, postShow]
