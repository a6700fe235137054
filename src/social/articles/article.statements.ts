import { statement } from '../../storage/statement.ts'

/** Keeps media items that a user may use for as long as the article exists. Returns those that it found. */
export const articleMediaKeep = statement(
  'article_media_keep',
  { id: 'int8', media_key: 'text', category: 'text' },
  `update media set kept = true
    where id = any($1::bigint[]) and (owner_user_id = $2 or $2 = any(additional_owner_ids)) and status = 'ready'
      and category in ('post_image', 'post_gif', 'post_video')
      and (kept or post_uses > 0 or expires_at > $3)
   returning id, media_key, category`,
)
export const draftCount = statement(
  'article_draft_count',
  { drafts: 'int4' },
  'select count(*)::int as drafts from (select from article where owner_user_id = $1 and post_id is null limit $2) as found',
)
export const articleAdd = statement(
  'article_add',
  {},
  `insert into article (id, owner_user_id, title, content, plain_text, preview_text, cover_media_key, media_keys, created_at)
   values ($1, $2, $3, $4::jsonb, $5, $6, $7, $8, $9)`,
)
/** A draft or article of a user, locked: of two requests that publish it, one waits. */
export const articleHold = statement(
  'article_hold',
  { id: 'int8', post_id: 'int8?', media_keys: 'text[]' },
  'select id, post_id, array_remove(media_keys || cover_media_key, null) as media_keys from article where id = $1 and owner_user_id = $2 for update',
)
export const articlePublished = statement('article_published', {}, 'update article set post_id = $2 where id = $1')
export const publishedArticle = statement(
  'article_published_content',
  { title: 'text', content: 'jsonb', post_id: 'int8?' },
  'select title, content, post_id from article where id = $1 and post_id is not null',
)
