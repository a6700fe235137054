import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { ErrorsSchema } from '../../api-kit/declaring/reply.ts'
import { closed, component, Type, words } from '../../api-kit/declaring/schema.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import { named, say } from '../../api-kit/writing/problem.ts'
import { invalidParameter } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { MediaId } from '../ids.ts'
import { isUsableBy, type MediaFacts, mediaFactsById } from './media.statements.ts'

const auth = { oauth1: true, oauth2: ['media.write'] }
const limit = { app: '10000/24h', user: '100/15m' }
const optional = Type.Optional
const VideoCategory = component('MediaCategorySubtitles', words(['AmplifyVideo', 'PostVideo']))
const LanguageCode = component('SubtitleLanguageCode', Type.String({ pattern: '^[A-Z]{2}$' }))
const CATEGORIES = { AmplifyVideo: 'amplify_video', PostVideo: 'post_video' } as const

const subtitlePut = statement(
  'media_subtitle_put',
  {},
  `insert into media_subtitle (media_id, language_code, subtitles_id, display_name) values ($1::bigint, $2, $3::bigint, $4)
   on conflict (media_id, language_code) do update set subtitles_id = excluded.subtitles_id, display_name = excluded.display_name`,
)
const subtitlesOf = statement(
  'media_subtitles_of',
  { id: 'int8', language_code: 'text', display_name: 'text?' },
  'select subtitles_id as id, language_code, display_name from media_subtitle where media_id = $1 order by language_code',
)
const subtitleDrop = statement(
  'media_subtitle_drop',
  {},
  'delete from media_subtitle where media_id = $1 and language_code = $2',
)

export const createMediaSubtitles = defineOperation({
  id: 'createMediaSubtitles',
  route: 'POST /2/media/subtitles',
  tag: 'Media',
  summary: 'Add subtitles in a language to a video',
  auth,
  limit,
  body: component(
    'SubtitlesCreateRequest',
    closed({
      id: MediaId,
      media_category: VideoCategory,
      subtitles: component(
        'SubtitlesInput',
        closed({ display_name: optional(Type.String()), id: MediaId, language_code: LanguageCode }),
      ),
    }),
  ),
  reply: component(
    'SubtitlesCreateResponse',
    Type.Object({
      data: optional(
        Type.Object({
          associated_subtitles: Type.Array(
            component(
              'Subtitles',
              Type.Object({
                display_name: optional(Type.String()),
                id: optional(MediaId),
                language_code: optional(LanguageCode),
              }),
            ),
            { minItems: 1 },
          ),
          id: MediaId,
          media_category: VideoCategory,
        }),
      ),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ body, caller, runtime }) => {
    const { id, media_category, subtitles } = body
    const userId = userOf(caller).id
    return change(runtime, async (tx) => {
      await findVideo(runtime, tx, userId, id, media_category)
      const file = await findOwn(runtime, tx, userId, subtitles.id)
      if (file?.category !== 'subtitles')
        throw invalidParameter(
          'subtitles.id',
          subtitles.id,
          `You have no uploaded file [${subtitles.id}] with the media_category subtitles.`,
        )
      await subtitlePut.count(tx, id, subtitles.language_code, subtitles.id, subtitles.display_name ?? null)
      return { data: { id, media_category, associated_subtitles: await subtitlesOf.all(tx, id) } }
    })
  },
})

export const deleteMediaSubtitles = defineOperation({
  id: 'deleteMediaSubtitles',
  route: 'DELETE /2/media/subtitles',
  tag: 'Media',
  summary: 'Remove the subtitles in a language from a video',
  auth,
  limit,
  body: component(
    'SubtitlesDeleteRequest',
    closed({ id: MediaId, language_code: LanguageCode, media_category: VideoCategory }),
  ),
  reply: component(
    'SubtitlesDeleteResponse',
    Type.Object({ data: optional(Type.Object({ deleted: Type.Boolean() })), errors: ErrorsSchema }),
  ),
  handle: async ({ body, caller, runtime }) => {
    await findVideo(runtime, runtime.database, userOf(caller).id, body.id, body.media_category)
    const removed = await subtitleDrop.count(runtime.database, body.id, body.language_code)
    return { data: { deleted: removed > 0 } }
  },
})

async function findOwn(runtime: Runtime, db: Db, userId: string, id: string): Promise<MediaFacts | undefined> {
  const [found] = isStorableId(id) ? await mediaFactsById.all(db, [id]) : []
  return found && isUsableBy(found, userId, runtime.clock.now()) ? found : undefined
}

async function findVideo(
  runtime: Runtime,
  db: Db,
  userId: string,
  id: string,
  category: keyof typeof CATEGORIES,
): Promise<void> {
  const video = await findOwn(runtime, db, userId, id)
  if (video?.category === CATEGORIES[category]) return
  throw invalidParameter('id', id, say`You have no video [${id}] with the media_category ${named(category)}.`)
}
