import { timeOfId } from '../../../process/ids.ts'
import { termsStored } from '../../../search/slices/store-terms.ts'
import { postRow } from '../../../social/posts/post.parts.ts'
import { repostTerms } from '../../../social/reposts/repost-terms.ts'
import { repostText } from '../../../social/reposts/repost-text.ts'
import type { WireEntities } from '../../../social/text/wire-text.ts'
import { jsonText } from '../../../storage/json-text.ts'
import { statement } from '../../../storage/statement.ts'
import { type Applying, KeyedIds } from './applying.ts'

const repostsRead = statement(
  'world_reposts_read',
  { id: 'int8', author_id: 'int8', reposted_post_id: 'int8?' },
  'select id, author_id, reposted_post_id from post where reposted_post_id = any($1::bigint[]) and not nullcast',
)
const authorsRead = statement(
  'world_authors_read',
  { id: 'int8', username: 'text' },
  'select id, username from user_account where id = any($1::bigint[])',
)
const repostsAdd = statement(
  'world_reposts_add',
  {},
  `with sent as materialized (
     select r.*, s.lang, s.media_keys, s.possibly_sensitive, s.context_entity_ids
       from jsonb_to_recordset($1::jsonb) as r (id bigint, author_id bigint, reposted_post_id bigint, text text, entities jsonb, display_end int,
         mentioned_user_ids bigint[], source_app_id bigint, source text, search text)
       join post s on s.id = r.reposted_post_id
   ), stored as (
     insert into post (id, author_id, text, entities, display_end, lang, conversation_id, reposted_post_id, first_version_id, media_keys,
       possibly_sensitive, mentioned_user_ids, source_app_id, source, context_entity_ids)
     select id, author_id, text, entities, display_end, lang, id, reposted_post_id, id, media_keys, possibly_sensitive, mentioned_user_ids,
       source_app_id, source, context_entity_ids from sent
   ), ${termsStored('select sent.*, null::bigint as in_reply_to_post_id, null::bigint as quoted_post_id, false as nullcast from sent')}, post_side as (
     insert into post_metrics as m (post_id, repost_count) select reposted_post_id, count(*)::int from sent group by 1 order by 1
     on conflict (post_id) do update set repost_count = m.repost_count + excluded.repost_count
   )
   update user_metrics m set post_count = m.post_count + c.posts, most_recent_post_id = greatest(m.most_recent_post_id, c.latest)
     from (select author_id, count(*)::int as posts, max(id) as latest from sent group by 1) c where m.user_id = c.author_id`,
)

interface Draft {
  userId: string
  postId: string
  id: string | undefined
  ms: number
  where: string
}

const REPOSTS_PER_STATEMENT = 2_000

/** Creates the reposts of a file. */
export async function applyReposts(run: Applying): Promise<void> {
  const drafts = readDrafts(run)
  run.stopOnFaults()
  if (drafts.length === 0) return
  const originals = await postRow.load(run.tx, [...new Set(drafts.map((draft) => draft.postId))])
  const rows = await repostsRead.all(run.tx, [...originals.keys()])
  const existing = new Map(rows.map((row) => [`${row.author_id} ${row.reposted_post_id}`, row.id]))
  const fresh = drafts.filter((draft) => {
    const id = existing.get(`${draft.userId} ${draft.postId}`)
    if (id !== undefined && draft.id !== undefined && draft.id !== id)
      run.fault(draft.where, draft.id, `the repost exists with the id ${id}, and an id cannot change`)
    return id === undefined
  })
  run.stopOnFaults()
  const authorIds = [...new Set([...originals.values()].map((row) => row.author_id))]
  const authors = new Map((await authorsRead.all(run.tx, authorIds)).map((row) => [row.id, row]))
  const ids = new KeyedIds(drafts.flatMap((draft) => draft.id ?? []))
  const first = run.world.apps?.[0]
  const app = first && run.apps.get(first.key ?? first.name)
  const made = fresh.map((draft) => {
    const original = originals.get(draft.postId)!
    const author = authors.get(original.author_id)!
    const written = repostText({ text: original.text, entities: original.entities as WireEntities | null }, author)
    return {
      id: draft.id ?? ids.of(draft.ms, 'repost', `${draft.userId} ${draft.postId}`),
      author_id: draft.userId,
      reposted_post_id: original.id,
      text: written.text,
      entities: written.entities,
      display_end: written.length,
      mentioned_user_ids: written.mentionedIds,
      source_app_id: app?.id ?? null,
      source: app?.name ?? 'World file',
      search: repostTerms(original, author),
    }
  })
  for (let from = 0; from < made.length; from += REPOSTS_PER_STATEMENT)
    await repostsAdd.count(run.tx, jsonText(made.slice(from, from + REPOSTS_PER_STATEMENT)))
  run.report.add('created', 'repost', `${made.length} of posts in this file`, made.length)
  run.report.add('unchanged', 'repost', '', drafts.length - made.length)
}

function readDrafts(run: Applying): Draft[] {
  return (run.world.posts ?? []).flatMap((post, at) => {
    const postId = run.postIds[at]!
    const seen = new Set<string>()
    return (post.reposts ?? []).flatMap((draft, index): Draft[] => {
      const where = `posts[${at}].reposts[${index}]`
      const {
        user: name,
        id,
        at: moment,
      } = typeof draft === 'string' ? { user: draft, id: undefined, at: undefined } : draft
      const user = run.user(name, typeof draft === 'string' ? where : `${where}.user`)
      if (!user) return []
      if (seen.has(user.id)) run.fault(where, name, 'is named twice')
      seen.add(user.id)
      // After the post, in the order of the list.
      const ms = run.moment(moment, `${where}.at`, timeOfId(postId) + 1_000 + index)
      return [{ userId: user.id, postId, id, ms, where }]
    })
  })
}
