import { idAt } from '../../process/ids.ts'
import type { QueryLeaf, QueryNode } from '../../search/parse-query.ts'
import { treeTerms } from '../../search/query-sql.ts'
import { tokenize } from '../../search/tokenize.ts'
import { typedText } from '../../social/text/typed-text.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { newestTalk } from '../targeting-options/talk.ts'

// Only public posts, as a search finds them, and no posts that were made for advertisements.
const PUBLIC = `not p.superseded and not p.nullcast and p.reposted_post_id is null and not u.protected and not u.suspended`

const postVolume = statement(
  'insights_post_volume',
  { slice: 'int8', location: 'text?', posts: 'int4' },
  `select ((p.id >> 22) + 1288834974657 - $4::bigint) / $5::bigint as slice, case when $6 then u.location end as location, count(*)::int as posts
     from post_terms t join post p on p.id = t.id join user_account u on u.id = t.author_id
    where t.terms @@ $1::tsquery and t.id + 0 >= $2 and t.id + 0 < $3 and ${PUBLIC} group by 1, 2`,
)
const matchingTexts = statement(
  'insights_matching_texts',
  { text: 'text', entities: 'jsonb?', note_text: 'text?', note_entities: 'jsonb?' },
  `select p.text, p.entities, p.note_text, p.note_entities
     from (${newestTalk({
       terms: '(select $1::tsquery)',
       after: '(select $2::bigint - 1)',
       before: '(select $3::bigint)',
       join: `cross join lateral (select from user_account w where w.id = t.author_id and ($4::text[] is null or w.location = any($4)) offset 0) w`,
       limit: '(select $5::int)',
     })}) n join post p on p.id = n.id order by p.id desc`,
)
const newestTexts = statement(
  'insights_newest_texts',
  { text: 'text', entities: 'jsonb?', note_text: 'text?', note_entities: 'jsonb?' },
  `select p.text, p.entities, p.note_text, p.note_entities from (select * from post order by id desc limit $1) p
     join user_account u on u.id = p.author_id where ${PUBLIC}`,
)

/** A range of time; the end does not belong to it. */
export interface TimeRange {
  startMs: number
  endMs: number
}

/** A query of the text index for posts with any of `keywords` and none of `negative`. Each keyword must have a word. */
export function termsOf(keywords: readonly string[], negative: readonly string[]): string {
  const parts: QueryNode[] = [{ kind: 'or', parts: keywords.map(leafOf) }]
  if (negative.length > 0) parts.push({ kind: 'not', part: { kind: 'or', parts: negative.map(leafOf) } })
  return treeTerms({ kind: 'and', parts })
}

/** A keyword as a part of a query: a hashtag, a cashtag, a mention, or words side by side. */
function leafOf(keyword: string): QueryLeaf {
  const tag = /^([#＃$@＠])([\p{L}\p{N}_]+)$/u.exec(keyword)
  if (!tag) return { kind: 'words', text: keyword, position: 1 }
  const kind = tag[1] === '$' ? 'cashtag' : tag[1] === '@' || tag[1] === '＠' ? 'mention' : 'hashtag'
  return { kind, text: tag[2]!, position: 1 }
}

/** True for a keyword that posts can contain. */
export const hasWords = (keyword: string): boolean => tokenize(keyword).length > 0

/** The number of posts with the keywords in each slice of time, counted from the start, by the location of their authors. */
export async function countKeywordPosts(
  db: Db,
  terms: string,
  range: TimeRange,
  by: { sliceMs: number; location: boolean },
): Promise<{ slice: number; location: string; posts: number }[]> {
  const rows = await postVolume.all(
    db,
    terms,
    idAt(range.startMs),
    idAt(range.endMs),
    range.startMs,
    by.sliceMs,
    by.location,
  )
  return rows.map((row) => ({ slice: Number(row.slice), location: row.location ?? '', posts: row.posts }))
}

/** The newest texts with the keywords; with `locations`, only of authors there. */
export const findTexts = async (
  db: Db,
  terms: string,
  range: TimeRange,
  locations: readonly string[] | undefined,
  limit: number,
): Promise<string[]> =>
  (await matchingTexts.all(db, terms, idAt(range.startMs), idAt(range.endMs), locations ?? null, limit)).map(typedText)

/** The newest texts of all posts. */
export const findNewestTexts = async (db: Db, limit: number): Promise<string[]> =>
  (await newestTexts.all(db, limit)).map(typedText)
