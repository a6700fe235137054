import { postTerms, textWords } from '../../search/post-terms.ts'
import { SLICE_SIZES, termsStored } from '../../search/slices/store-terms.ts'
import { fold } from '../../search/tokenize.ts'
import { typeOfKey } from '../../social/media/categories.ts'
import { storedAnnotationTerms, textEntities, typedText } from '../../social/text/typed-text.ts'
import { openCommunitySql } from '../../social/visibility.ts'
import { CopyRows, copyInto } from '../../storage/copy.ts'
import type { Tx } from '../../storage/database.ts'
import { divideSlices } from '../seed-slices.ts'

const PAGE = 2_000

interface Row {
  id: string
  author_id: string
  text: string
  entities: unknown
  note_text: string | null
  note_entities: unknown
  media_keys: string[]
  context_entity_ids: string[] | null
  in_reply_to_user_id: string | null
  place_id: string | null
  place_name: string | null
  country_code: string | null
  reposted_user_id: string | null
  reposted_username: string | null
}

// A repost is found by the text of its original.
const page = `select s.id, c.author_id, c.text, c.entities, c.note_text, c.note_entities, c.media_keys, c.context_entity_ids::text[] as context_entity_ids,
    p.in_reply_to_user_id, pl.id as place_id, pl.full_name as place_name, pl.country_code,
    o.author_id as reposted_user_id, u.username as reposted_username
  from staged_posts s join post p on p.id = s.id left join post o on o.id = p.reposted_post_id left join user_account u on u.id = o.author_id
  join lateral (select (case when o.id is null then p else o end).*) c on true
  left join place pl on pl.id = p.place_id
 where s.id > $1 and not p.superseded and p.sandbox is null and ${openCommunitySql('p')}
 order by s.id limit ${PAGE}`

const TERMS = 'staged_terms (id, search)'
const termsAdd = `with ${termsStored('select p.*, n.search from staged_terms n join post p using (id) order by p.id')} select`

/** Makes the staged posts findable, a page at a time. */
export async function storeSearchTerms(tx: Tx, progress: (done: number) => void): Promise<void> {
  await beginSlices(tx)
  await tx.query({ text: 'create temp table staged_terms (id bigint not null, search text not null) on commit drop' })
  let after = '0'
  let done = 0
  for (;;) {
    const { rows } = await tx.query<Row & Record<string, unknown>>({ text: page, values: [after] })
    if (rows.length === 0) return
    const terms = new CopyRows(PAGE * 512)
    for (const row of rows) terms.add(row.id, termsOf(row))
    await copyInto(tx, TERMS, terms.bytes)
    await tx.query({ text: termsAdd })
    await tx.query({ text: 'truncate staged_terms' })
    after = rows.at(-1)!.id
    done += rows.length
    progress(done)
  }
}

async function beginSlices(tx: Tx): Promise<void> {
  const { rows } = await tx.query<{ id: string }>({
    text: `select id from (select id, row_number() over (order by id) as n, count(*) over () as posts from staged_posts) s
      where posts > ${SLICE_SIZES.posts} and (n % ${SLICE_SIZES.posts} = 1 or n = posts) order by id`,
  })
  if (rows.length === 0) return
  const starts = rows.map((row) => BigInt(row.id))
  await divideSlices(tx, [...starts.slice(0, -1), starts.at(-1)! + 1n])
}

function termsOf(row: Row): string {
  const { mentions, ...entities } = textEntities(row)
  return postTerms({
    ...entities,
    words: textWords(typedText(row)),
    mentions: row.reposted_username === null ? mentions : [row.reposted_username, ...mentions],
    annotations: storedAnnotationTerms(row, fold),
    repostedUserId: row.reposted_user_id,
    replyToUserId: row.in_reply_to_user_id,
    mediaTypes: row.media_keys.flatMap((key) => typeOfKey(key) ?? []),
    ...(row.place_id === null || row.reposted_user_id !== null
      ? {}
      : { place: { id: row.place_id, name: row.place_name!, countryCode: row.country_code! } }),
  })
}
