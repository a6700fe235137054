import type { ReadContext } from '../api-kit/reading/read-context.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import type { Problem } from '../api-kit/writing/problem.ts'
import { LEGACY_PLATFORM, LEGACY_TEXT_MODE, legacyNaming } from '../legacy-words.ts'
import { isStorableId } from '../process/ids.ts'
import { type PostRow, postRow } from '../social/posts/post.parts.ts'
import { relation, userRow } from '../social/users/user.parts.ts'
import { composeV1StoredPost } from '../social/v1/compose-stored-post.ts'
import { readNestedPosts, readV1Objects } from '../social/v1/read-v1-objects.ts'
import { type V1Object, v1Ids } from '../social/v1/v1-json.ts'
import { authorsOf, judgePosts } from '../social/visibility.ts'
import { statement } from '../storage/statement.ts'
import { defineV1Operation, type V1Input } from './v1-operation.ts'
import type { V1Params } from './v1-params.ts'
import { blockedByAuthor, parametersMissing, postNotFound, postNotVisible, userIsSuspended } from './v1-problems.ts'

const viewOfPost = statement(
  'v1_post_view',
  { favorited: 'bool', repost_id: 'int8?' },
  `select exists (select from post_like l where l.post_id = $1::bigint and l.user_id = $2::bigint) as favorited,
          (select r.id from post r where r.reposted_post_id = $1::bigint and r.author_id = $2::bigint and not r.nullcast limit 1) as repost_id`,
)

const OWN_REPOST = legacyNaming.rename('include_my_repost')

const PARAMS = {
  id: 'The id of the post',
  [LEGACY_TEXT_MODE]: '`extended`: the whole text, as `full_text`',
  trim_user: 'Only the ids of the author',
  include_entities: '`false` leaves out the entities',
  include_ext_alt_text: 'Adds the alternative text of media items',
  [OWN_REPOST]: 'Adds the id of the repost by the caller',
}

/** How a call shows posts. */
export interface ShownPostOptions {
  textMode: 'compat' | 'extended'
  trimUser: boolean
  withEntities: boolean
  withAltText: boolean
}

export const readPostOptions = (params: V1Params): ShownPostOptions => ({
  textMode: params.text(LEGACY_TEXT_MODE) === 'extended' ? 'extended' : 'compat',
  trimUser: params.flag('trim_user'),
  withEntities: params.flag('include_entities', true),
  withAltText: params.flag('include_ext_alt_text'),
})

const showPost = async ({ params, context, runtime }: V1Input) => {
  const id = params.text('id')
  if (id === undefined) throw parametersMissing('id')
  const row = isStorableId(id) ? await context.parts.one(postRow, id) : undefined
  if (!row) throw postNotFound()
  const [hidden] = await judgePosts(context, [authorsOf(row)])
  if (hidden) throw await whyHidden(context, row)
  const shown = await composePost(runtime, context, row, readPostOptions(params))
  if (!shown) throw postNotFound()
  const viewerId = context.caller?.user?.id
  if (viewerId === undefined) return { body: shown }
  const { favorited, repost_id: repostId } = (await viewOfPost.first(runtime.database, id, viewerId))!
  const withRepost = params.flag(OWN_REPOST) && repostId !== null
  return {
    body: {
      ...shown,
      favorited,
      reposted: repostId !== null,
      current_user_repost: withRepost ? v1Ids(repostId) : undefined,
    },
  }
}

/** A post that the caller may see, with what it reposts and quotes. */
export async function composePost(
  runtime: Runtime,
  context: ReadContext,
  row: PostRow,
  options: ShownPostOptions,
): Promise<V1Object | undefined> {
  const posts = await readNestedPosts(context.parts, [row.id])
  const objects = await readV1Objects(runtime, posts, [], context.parts)
  const rows = [...posts.values()]
  const verdicts = await judgePosts(context, rows.map(authorsOf))
  const visible = new Set(rows.filter((_row, index) => verdicts[index] === undefined))
  const shown = composeV1StoredPost(row, objects, {
    textMode: options.textMode,
    trimUser: options.trimUser,
    sensitivity: 'with links',
    unsetText: '',
    isShown: (nested) => visible.has(nested),
  })
  const altTexts = new Map([...objects.media.values()].map((media) => [media.media_key, media.alt_text]))
  const sourceBase = context.moveLinks ? LEGACY_PLATFORM.siteBase('') : context.baseUrl
  return shown && finishPost(shown, sourceBase, options, altTexts)
}

const NESTED = ['quoted_status', 'reposted_status'] as const

/** Adds what only the calls of version 1.1 show, and leaves out what was not asked for; also in the posts inside. */
function finishPost(
  shown: V1Object,
  sourceBase: string,
  options: ShownPostOptions,
  altTexts: ReadonlyMap<string, string | null>,
): V1Object {
  const { entities, extended_entities: extended, ...rest } = shown
  const media = (extended as { media: V1Object[] } | undefined)?.media
  const finished: V1Object = {
    ...rest,
    ...(options.withEntities ? { entities } : {}),
    extended_entities: media && {
      media: media.map((item) =>
        options.withAltText ? { ...item, ext_alt_text: altTexts.get(item.media_key as string) ?? null } : item,
      ),
    },
    source: `<a href="${sourceBase}" rel="nofollow">${escapeHtml(String(shown.source ?? ''))}</a>`,
    geo: null,
    coordinates: null,
    contributors: null,
  }
  for (const name of NESTED)
    if (finished[name]) finished[name] = finishPost(finished[name] as V1Object, sourceBase, options, altTexts)
  return finished
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

async function whyHidden(context: ReadContext, row: PostRow): Promise<Problem> {
  const author = await context.parts.one(userRow, row.author_id)
  if (author?.suspended) return userIsSuspended()
  const viewer = context.caller?.user?.id
  const known = viewer === undefined ? undefined : await context.parts.one(relation, `${viewer}:${row.author_id}`)
  return known?.blocked_by ? blockedByAuthor(legacyNaming) : postNotVisible()
}

const shared = {
  tag: 'Posts',
  summary: 'Look up a post by id',
  app: true,
  // One counter for both paths.
  limit: { app: '900/15m of showpost', user: '900/15m of showpost' },
  params: PARAMS,
  handle: showPost,
}

export const v1ShowPost = defineV1Operation({
  id: 'v1ShowPost',
  route: 'GET /1.1/statuses/show.json',
  ...shared,
})

/** The same with the id in the path, as some libraries send it. */
export const v1ShowPostById = defineV1Operation({
  id: 'v1ShowPostById',
  route: 'GET /1.1/statuses/show/{id}.json',
  ...shared,
})
