import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { component, idSchema, Type } from '../../api-kit/declaring/schema.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { change, type Invalidate, type Runtime } from '../../api-kit/runtime.ts'
import { AsGiven, named, say } from '../../api-kit/writing/problem.ts'
import { forbidden, invalidRequest } from '../../api-kit/writing/problems.ts'
import { legacyNaming } from '../../legacy-words.ts'
import { cutText } from '../../process/cut-text.ts'
import { isStorableId } from '../../process/ids.ts'
import type { Tx } from '../../storage/database.ts'
import { jsonText } from '../../storage/json-text.ts'
import { postRow } from '../posts/post.parts.ts'
import { authorsOf, judgePosts } from '../visibility.ts'
import { type ArticleDraft, ArticleDraftCreateRequest } from './article.body.ts'
import { articleAdd, articleMediaKeep, draftCount } from './article.statements.ts'
import { checkContent } from './check-content.ts'

const MOST_DRAFTS = 1_000
const PREVIEW_CHARACTERS = 200

export const ArticleId = idSchema('ArticleId')

export const articleCreateDraft = defineOperation({
  id: 'articleCreateDraft',
  route: 'POST /2/articles/draft',
  tag: 'Articles',
  summary: 'Create a draft of an article',
  auth: { oauth1: true, oauth2: ['post.write'] },
  body: ArticleDraftCreateRequest,
  status: 201,
  reply: component(
    'ArticleDraftCreateResponse',
    Type.Object({ data: Type.Optional(Type.Object({ id: ArticleId, title: Type.String() })), errors: ErrorsSchema }),
  ),
  handle: async ({ body, caller, runtime, context }) => {
    checkContent(body.content_state)
    await checkShownPosts(context, body)
    const id = runtime.ids.next()
    await change(runtime, (tx, invalidate) =>
      storeDraft(tx, invalidate, runtime, { id, ownerId: userOf(caller).id, body }),
    )
    return { data: { id, title: body.title } }
  },
})

/** Refuses a draft that shows posts which the caller cannot see. */
async function checkShownPosts(context: ReadContext, { content_state }: ArticleDraft): Promise<void> {
  const mentioned = content_state.entities.flatMap(({ value }) => value.data.post_id ?? [])
  const ids = [...new Set(mentioned)]
  if (ids.length === 0) return
  const found = [...(await context.parts.many(postRow, ids.filter(isId))).values()]
  const verdicts = await judgePosts(context, found.map(authorsOf))
  const visible = new Set(found.filter((_row, index) => verdicts[index] === undefined).map((row) => row.id))
  const missing = ids.filter((id) => !visible.has(id))
  if (missing.length > 0)
    throw invalidRequest([
      { parameters: { post_id: missing }, message: say`There is no ${named('Post')} with this id that you can see.` },
    ])
}

const isId = (text: string): boolean => /^\d{1,19}$/.test(text) && isStorableId(text)

async function storeDraft(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  { id, ownerId, body }: { id: string; ownerId: string; body: ArticleDraft },
): Promise<void> {
  const { drafts } = (await draftCount.first(tx, ownerId, MOST_DRAFTS))!
  if (drafts >= MOST_DRAFTS) throw forbidden(`You can have at most ${MOST_DRAFTS} drafts of articles.`)
  const keys = await keepMedia(tx, invalidate, runtime, ownerId, body)
  const plain = body.content_state.blocks.map((block) => block.text).join('\n')
  await articleAdd.count(
    tx,
    id,
    ownerId,
    body.title,
    jsonText(body.content_state),
    plain,
    cutText(plain, PREVIEW_CHARACTERS),
    body.cover_media === undefined ? null : keys.get(body.cover_media.media_id)!,
    [...new Set(mediaItems(body).map((item) => keys.get(item.media_id)!))],
    new Date(runtime.clock.now()),
  )
}

const mediaItems = ({ content_state }: ArticleDraft) =>
  content_state.entities.flatMap(({ value }) => value.data.media_items ?? [])

/** The keys of the media items of a draft, by id. Refuses those that the user may not use. */
async function keepMedia(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  ownerId: string,
  body: ArticleDraft,
): Promise<Map<string, string>> {
  const items = [...(body.cover_media ? [body.cover_media] : []), ...mediaItems(body)]
  if (items.length === 0) return new Map()
  const ids = [...new Set(items.map((item) => item.media_id))]
  const now = new Date(runtime.clock.now())
  const found = await articleMediaKeep.all(tx, ids.filter(isId), ownerId, now)
  const byId = new Map(found.map((row) => [row.id, row]))
  for (const { media_id, media_category } of items) {
    const row = byId.get(media_id)
    if (!row) throw invalidRequest([{ parameters: { media_id: [media_id] }, message: 'Your media IDs are invalid.' }])
    if (legacyNaming.restore(media_category) !== row.category)
      throw invalidRequest([
        {
          parameters: new AsGiven({ media_category: [media_category] }),
          message: `The media item [${media_id}] has another category.`,
        },
      ])
  }
  invalidate('media', ...found.map((row) => row.media_key))
  return new Map(found.map((row) => [row.id, row.media_key]))
}
