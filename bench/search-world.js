// The world of the search benchmark: posts of 30 days whose words occur evenly, only in old posts, only in new ones, or in a burst.
import { idAt } from '../dist/modules/process/ids.js'
import { postTerms } from '../dist/modules/search/post-terms.js'
import { beginSlices } from '../dist/modules/search/slices/begin-slice.js'
import { SLICE_SIZES, termsStored } from '../dist/modules/search/slices/store-terms.js'
import { CopyRows, copyInto } from '../dist/modules/storage/copy.js'
import { SeededRandom } from '../dist/modules/world/seeded-random.js'

const DAY_MS = 24 * 3600_000
const SPAN_MS = 29 * DAY_MS
const STEP = 20_000
const OTHER_WORDS = 5_000
const LANGUAGES = ['en', 'en', 'en', 'es', 'ja', 'de']

/** The words of a post at a share of the span; `random.chance` counts thousandths. */
function wordsAt(random, share) {
  const words = Array.from({ length: 5 }, () => `w${random.rank(OTHER_WORDS)}`)
  const put = (parts, ...added) => random.chance(parts) && words.splice(random.below(words.length + 1), 0, ...added)
  put(80, 'even')
  put(100, 'steady')
  put(40, 'small', 'program')
  if (random.below(5_000) === 0) words.push('rareword')
  if (share < 2 / 3) {
    put(120, 'gone')
    put(60, 'away')
    put(10, 'gone', 'away')
  }
  if (share > 0.99) put(80, 'fresh')
  if (Math.abs(share - 19 / 29) < 1 / 24 / 29 / 2) put(500, 'burst')
  // Two common words that never stand side by side.
  if (random.chance(150)) words.unshift('alpha')
  if (random.chance(150)) words.push('between', 'omega')
  return words
}

/** Stores posts of the seeded users, the last a moment before now, without the text index, which is built at the end. */
export async function makePosts(client, posts) {
  const tx = Object.assign(client, { inTransaction: true })
  const { rows } = await client.query(`select id from user_account where username like 'seed%' order by id`)
  const authors = rows.map((row) => row.id)
  const random = new SeededRandom(7, posts)
  const start = Date.now() - 60_000 - SPAN_MS
  const slot = SPAN_MS / posts
  const idOf = (number) => idAt(start + Math.floor(number * slot), 900, Math.floor((number * slot * 4_096) % 4_096))
  const begun = []
  for (let number = SLICE_SIZES.posts; number < posts; number += SLICE_SIZES.posts) begun.push(idOf(number))
  await client.query('begin')
  await beginSlices(tx, begun, SLICE_SIZES)
  await client.query('commit')
  const [{ indexdef }] = (await client.query(`select indexdef from pg_indexes where indexname = 'post_terms_words'`))
    .rows
  await client.query('drop index post_terms_words')
  for (let from = 0; from < posts; from += STEP) {
    const [rowsOfPosts, terms] = [new CopyRows(STEP * 400), new CopyRows(STEP * 400)]
    for (let number = from; number < Math.min(posts, from + STEP); number++) {
      const id = idOf(number)
      const words = wordsAt(random, number / posts)
      const hashtags = random.chance(50) ? ['music'] : []
      const text = [...words, ...hashtags.map((tag) => `#${tag}`)].join(' ')
      const lang = random.below(3_000) === 0 ? 'fi' : LANGUAGES[random.below(LANGUAGES.length)]
      // One author wrote a hundredth of all posts.
      const author = random.chance(10) ? authors[0] : authors[random.below(authors.length)]
      rowsOfPosts.add(id, author, text, text.length, lang, id, id, 'bench')
      terms.add(id, postTerms({ words: [...words, ...hashtags], hashtags, cashtags: [], mentions: [], urls: [] }))
    }
    await client.query('begin')
    await copyInto(
      tx,
      'post (id, author_id, text, display_end, lang, conversation_id, first_version_id, source)',
      rowsOfPosts.bytes,
    )
    await client.query('create temp table bench_terms (id bigint, search text) on commit drop')
    await copyInto(tx, 'bench_terms (id, search)', terms.bytes)
    await client.query(
      `with ${termsStored('select p.*, n.search from bench_terms n join post p using (id) order by p.id')} select`,
    )
    await client.query('commit')
  }
  await client.query(`set maintenance_work_mem = '256MB'`)
  await client.query(indexdef)
  await client.query('analyze')
  return { author: authors[0], rareAuthor: authors.at(-1) }
}

/** A copy of `post` as it was before terms had a table: with its terms, and a text index whose list writers sort in. */
export async function makePreviousPosts(client) {
  await client.query('create table previous_post (like post including defaults)')
  await client.query('alter table previous_post add column search tsvector')
  await client.query(
    `insert into previous_post select p.*, t.terms from post p left join post_terms t using (id) order by id`,
  )
  const { rows } = await client.query(
    `select indexdef from pg_indexes where schemaname = 'public' and tablename = 'post'`,
  )
  for (const { indexdef } of rows)
    await client.query(indexdef.replace(/INDEX \S+ ON (\S+\.)?post /, 'INDEX ON previous_post '))
  await client.query('create index on previous_post using gin (search) with (fastupdate = on)')
  await client.query('analyze previous_post')
}

/** The statement that stores posts, changed to store them as before. */
export function previousInsert(sql) {
  const begin = sql.indexOf('sliced as materialized')
  const end = sql.indexOf('authors as (')
  const [, columns] = /insert into post \(([^)]*)\)/.exec(sql) ?? []
  if (begin === -1 || end < begin || !columns) throw new Error('the statement that stores posts has another form')
  return (sql.slice(0, begin) + sql.slice(end))
    .replace(`insert into post (${columns})`, `insert into previous_post (${columns}, search)`)
    .replace(`select ${columns} from sent`, `select ${columns}, search::tsvector from sent`)
}
