import { change, type Runtime } from '../../api-kit/runtime.ts'
import { type MediaFacts, mediaFacts } from '../../social/media/media.statements.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { AdsTask } from '../kit/task.ts'
import { wholeSecond } from '../kit/times.ts'
import { creativeTypeOf } from './creative-types.data.ts'

const accountMediaAdd = statement(
  'ads_account_media_add',
  {},
  `insert into ads_account_media (id, account_id, media_key, video_id, creative_type, created_at, updated_at)
   select s.id, s.account_id, s.media_key, s.video_id, s.creative_type, $2, $2
     from jsonb_to_recordset($1::jsonb)
       as s (id bigint, account_id bigint, media_key text, video_id text, creative_type text)
   on conflict (account_id, media_key) where not deleted do nothing`,
)

/** Creates account media from new items of media libraries, where they fit a creative type. */
export async function addAccountMedia(
  tx: Tx,
  runtime: Runtime,
  entries: readonly { accountId: string; media: MediaFacts }[],
): Promise<void> {
  const rows = entries.flatMap(({ accountId, media }) => {
    const type = creativeTypeOf(media)
    if (type === undefined) return []
    return {
      id: runtime.ids.next(),
      account_id: accountId,
      media_key: media.media_key,
      video_id: media.type === 'video' ? media.media_key : null,
      creative_type: type,
    }
  })
  if (rows.length > 0) await accountMediaAdd.count(tx, JSON.stringify(rows), wholeSecond(runtime.clock.now()))
}

const AT_ONCE = 500
const unsortedAny = statement(
  'ads_media_library_unsorted',
  { account_id: 'int8' },
  'select account_id from ads_media_library where unsorted limit 1',
)
const unsortedTake = statement(
  'ads_media_library_sort',
  { account_id: 'int8', media_key: 'text' },
  `update ads_media_library l set unsorted = false
     from (select account_id, media_key from ads_media_library where unsorted order by account_id, id limit ${AT_ONCE} for update skip locked) s
    where l.account_id = s.account_id and l.media_key = s.media_key returning l.account_id, l.media_key`,
)

/** Creates account media from items that posts added to media libraries: posting itself does not depend on advertising. */
export const sortPostedMedia: AdsTask = {
  name: 'posted media',
  run: async (runtime) => {
    if (!(await unsortedAny.first(runtime.database))) return 0
    return change(runtime, async (tx) => {
      const taken = await unsortedTake.all(tx)
      if (taken.length === 0) return 0
      const found = new Map(
        (
          await mediaFacts.all(
            tx,
            taken.map((row) => row.media_key),
          )
        ).map((media) => [media.media_key, media]),
      )
      const entries = taken.flatMap((row) => {
        const media = found.get(row.media_key)
        return media ? { accountId: row.account_id, media } : []
      })
      await addAccountMedia(tx, runtime, entries)
      return taken.length
    })
  },
}
