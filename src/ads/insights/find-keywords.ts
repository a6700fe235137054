import { idAt } from '../../process/ids.ts'
import type { QueryLeaf, QueryNode } from '../../search/parse-query.ts'
import { querySql } from '../../search/query-sql.ts'
import { tokenize } from '../../search/tokenize.ts'
import { typedText } from '../../social/text/typed-text.ts'
import type { Db } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'

// Only public posts, as a search finds them, and no posts that were made for advertisements.
const PUBLIC = `not p.superseded and not p.nullcast and p.reposted_post_id is null and not u.protected and not u.suspended`

const postVolume = statement(
  'insights_post_volume',
  { slice: 'int8', location: 'text?', posts: 'int4' },
  `select ((p.id >> 22) + 1288834974657 - $4::bigint) / $5::bigint as slice, case when $6 then u.location end as location, count(*)::int as posts
     from post p join user_account u on u.id = p.author_id
    where p.search @@ $1::tsquery and p.id >= $2 and p.id < $3 and ${PUBLIC} group by 1, 2`,
)
const matchingTexts = statement(
  'insights_matching_texts',
  { text: 'text', entities: 'jsonb?', note_text: 'text?', note_entities: 'jsonb?' },
  `select p.text, p.entities, p.note_text, p.note_entities from post p join user_account u on u.id = p.author_id
    where p.search @@ $1::tsquery and p.id >= $2 and p.id < $3 and ${PUBLIC} and ($4::text[] is null or u.location = any($4))
    order by p.id desc limit $5`,
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
  return querySql({ kind: 'and', parts }, { users: new Map(), places: new Map() }, 1).values[0] as string
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
