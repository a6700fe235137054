import type { Invalidate, Runtime } from '../../api-kit/runtime.ts'
import { termsStored } from '../../search/slices/store-terms.ts'
import { repostTerms } from '../../social/reposts/repost-terms.ts'
import { repostText } from '../../social/reposts/repost-text.ts'
import type { WireEntities } from '../../social/text/wire-text.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import type { PostToPromote } from './promotable-posts.ts'

// A user has one such repost of a post for all line items that show it. It does not count as a repost of the original.
const repostsAddSql = (isSandbox: boolean): string =>
  `with sent as (
     select * from jsonb_to_recordset($1::jsonb)
       as s (id bigint, original_id bigint, text text, entities jsonb, length int, mentioned_ids bigint[], terms text)
   ), source as (
     select s.*, o.lang, o.media_keys, o.possibly_sensitive, o.card_uri, o.context_entity_ids from sent s join post o on o.id = s.original_id for key share of o
   ), stored as (
     insert into post (id, author_id, text, entities, display_end, lang, conversation_id, reposted_post_id, first_version_id, media_keys,
       card_uri, possibly_sensitive, mentioned_user_ids, source_app_id, source, nullcast, sandbox, context_entity_ids)
     select id, $2::bigint, text, entities, length, lang, id, original_id, id, media_keys, card_uri, possibly_sensitive, mentioned_ids,
       $3::bigint, $4::text, true, ${isSandbox ? "'promoted'" : 'null'}, context_entity_ids from source
     on conflict (reposted_post_id, author_id) where reposted_post_id is not null and nullcast and sandbox is ${isSandbox ? 'not null' : 'null'} do update set hidden = post.hidden
     returning id, reposted_post_id
   ), ${termsStored(`select s.id, $2::bigint as author_id, s.original_id as reposted_post_id, s.lang, null::bigint as in_reply_to_post_id,
       null::bigint as quoted_post_id, true as nullcast, s.terms as search from source s join stored using (id) where not ${isSandbox}`)}, counted as (
     update user_metrics set post_count = post_count + (select count(*) from stored join sent using (id))::int
      where user_id = $2 and not ${isSandbox} and exists (select from stored join sent using (id))
   )
   select id, reposted_post_id as original_id from stored`

const columns = { id: 'int8', original_id: 'int8?' } as const
const promotedRepostsAdd = statement('ads_promoted_reposts_add', columns, repostsAddSql(false))
const sandboxRepostsAdd = statement('ads_sandbox_reposts_add', columns, repostsAddSql(true))

/** Reposts posts of other users as promoted-only posts; returns the id of the repost by the id of the original. */
export async function createPromotedReposts(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  by: { userId: string; app: { id: string; name: string }; isSandbox: boolean },
  originals: readonly PostToPromote[],
): Promise<Map<string, string>> {
  if (originals.length === 0) return new Map()
  const drafts = originals.map((original) => {
    const author = { id: original.author_id, username: original.username }
    const written = repostText({ text: original.text, entities: original.entities as WireEntities | null }, author)
    return {
      id: runtime.ids.next(),
      original_id: original.id,
      text: written.text,
      entities: written.entities,
      length: written.length,
      mentioned_ids: written.mentionedIds,
      terms: repostTerms(original, author),
    }
  })
  invalidate('user_metrics', by.userId)
  const add = by.isSandbox ? sandboxRepostsAdd : promotedRepostsAdd
  const stored = await add.all(tx, JSON.stringify(drafts), by.userId, by.app.id, by.app.name)
  return new Map(stored.map((row) => [row.original_id!, row.id]))
}
