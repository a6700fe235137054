import { termsRemoved, termsStored } from '../../../search/slices/store-terms.ts'
import type { NewPost } from '../../../social/posts/insert-posts.ts'
import type { PostRow } from '../../../social/posts/post.parts.ts'
import { openCommunitySql } from '../../../social/visibility.ts'
import { jsonText } from '../../../storage/json-text.ts'
import { statement } from '../../../storage/statement.ts'
import type { Applying } from './applying.ts'
import type { FoundPost } from './find-posts.ts'

const SENT = `sent as materialized (
     select * from jsonb_to_recordset($1::jsonb) as s (id bigint, text text, entities jsonb, note_text text, note_entities jsonb,
       display_start int, display_end int, lang text, reply_settings text, made_with_ai bool, paid_partnership bool, possibly_sensitive bool,
       mentioned_user_ids bigint[], context_entity_ids bigint[], search text, link_codes text[], link_urls text[])
   )`
const postsRewrite = statement(
  'world_posts_rewrite',
  {},
  `with ${SENT}, links as (
     insert into short_link (code, url) select l.code, min(l.url) from sent, unnest(link_codes, link_urls) as l (code, url) group by 1 order by 1
     on conflict do nothing
   ), mentions_gone as (
     delete from post_mention m using sent s where m.post_id = s.id and m.user_id <> all(s.mentioned_user_ids)
   ), mentions as (
     insert into post_mention (user_id, post_id) select m.id, sent.id from sent, unnest(sent.mentioned_user_ids) as m (id) on conflict do nothing
   ), ${termsRemoved('select id from sent')}
   update post p set text = s.text, entities = s.entities, note_text = s.note_text, note_entities = s.note_entities,
     display_start = s.display_start, display_end = s.display_end, lang = s.lang, reply_settings = s.reply_settings,
     made_with_ai = s.made_with_ai, paid_partnership = s.paid_partnership, possibly_sensitive = s.possibly_sensitive,
     mentioned_user_ids = s.mentioned_user_ids, context_entity_ids = s.context_entity_ids
     from sent s where p.id = s.id`,
)
// A statement of its own: it sees the posts as the other one left them.
const termsWrite = statement(
  'world_terms_write',
  {},
  `with ${SENT}, ${termsStored(`select p.*, sent.search from post p join sent using (id) where ${openCommunitySql('p')}`)} select`,
)

const COMPARED = [
  'text',
  'note_text',
  'reply_settings',
  'made_with_ai',
  'paid_partnership',
  'possibly_sensitive',
] as const

/** What a post keeps for as long as it exists, with the member of the file that says it. */
const FIXED: [keyof PostRow & keyof NewPost, string][] = [
  ['in_reply_to_post_id', 'reply_to'],
  ['quoted_post_id', 'quotes'],
  ['community_id', 'community'],
  ['place_id', 'place'],
]

/** Writes existing posts again whose text or settings are different in the file. They keep their ids, likes and replies. */
export async function rewritePosts(
  run: Applying,
  posts: readonly FoundPost[],
  made: readonly NewPost[],
): Promise<void> {
  const changed: NewPost[] = []
  for (const [index, { draft, row, where, id, author }] of posts.entries()) {
    const post = made[index]!
    if (!row) continue
    for (const [column, member] of FIXED)
      if (post[column] !== row[column])
        run.fault(`${where}.${member}`, undefined, `the post ${id} exists, and its ${member} cannot change`)
    if (draft.poll && row.poll_id === null)
      run.fault(`${where}.poll`, undefined, `the post ${id} exists, and its poll cannot change`)
    if (post.media_keys.join() !== row.media_keys.join())
      run.fault(`${where}.media`, undefined, `the post ${id} exists, and its media cannot change`)
    const names = COMPARED.filter((name) => post[name] !== row[name])
    run.report.add(names.length > 0 ? 'changed' : 'unchanged', 'post', `${id} @${author.username}: ${names.join(', ')}`)
    if (names.length > 0) changed.push(post)
  }
  run.stopOnFaults()
  if (changed.length === 0) return
  const json = jsonText(changed)
  await postsRewrite.count(run.tx, json)
  await termsWrite.count(run.tx, json)
}
