import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { legacyNaming } from '../../src/legacy-words.ts'
import { checkQuery } from '../../src/search/check-query.ts'
import { compileQuery } from '../../src/search/match-query.ts'
import type { MatchablePost } from '../../src/search/matchable-post.ts'
import { parseQuery, type QueryNode } from '../../src/search/parse-query.ts'
import { requestedReposts } from '../../src/search/requested-reposts.ts'
import { SliceKeeper } from '../../src/search/slices/keep-slices.ts'
import { postRow } from '../../src/social/posts/post.parts.ts'
import { matchablePosts } from '../../src/streams/filtered/post-facts.ts'
import { SeededRandom } from '../../src/world/seeded-random.ts'
import { makePost, rows } from '../social/acting.ts'
import { sampleOf } from '../support/sampling.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const POSTS = 110
const USERS = ['alice', 'bob', 'chika', 'dario']
const WORDS = ['amber', 'birch', 'cedar', 'dune', 'ember', 'fern']
const TAGS = ['news', 'music']

const random = new SeededRandom(inject('sampling').seed, 1)
const some = <T>(items: readonly T[]): T => items[random.below(items.length)]!

let server: TestServer
let posts: MatchablePost[]
let conversation: string
beforeAll(async () => {
  server = await startTestServer()
  const keeper = new SliceKeeper(server.runtime.database, { posts: 6, slices: 3 })
  const turn = () => keeper.turn(server.runtime.clock.now(), server.runtime.clock.now(), { aheadMs: 0, settleMs: 0 })
  const ids: string[] = []
  for (let number = 0; number < POSTS; number++) {
    const user = some(USERS)
    const target = ids.length > 0 && random.chance(250) ? some(ids) : undefined
    if (target !== undefined && random.chance(400)) {
      const done = await server.post(`/2/users/${server.userId(user)}/reposts`, { post_id: target }, { user })
      expect(done.status, done.text).toBe(200)
      continue
    }
    const text = [
      ...Array.from({ length: 1 + random.below(4) }, () => some(WORDS)),
      ...(random.chance(200) ? [`#${some(TAGS)}`] : []),
      ...(random.chance(150) ? [`@${some(USERS)}`] : []),
      ...(random.chance(300) ? ['and this is a sentence in English'] : []),
      `n${number}`,
    ].join(' ')
    ids.push(await makePost(server, user, { text, ...(target && { reply: { in_reply_to_post_id: target } }) }))
    if (number % 3 === 0) await turn()
  }
  conversation = ids[3]!
  for (const id of ids.filter((_, index) => index % 4 === 0))
    await server.post(`/2/users/${server.userId('bob')}/likes`, { post_id: id }, { user: 'bob' })
  for (const id of ids.filter((_, index) => index % 17 === 5)) {
    const [row] = await rows(
      server,
      'select username from user_account join post on author_id = user_account.id where post.id = $1',
      [id],
    )
    await server.delete(`/2/posts/${id}`, { user: row.username })
  }
  await server.command('user.update', { user: 'chika', protected: true })
  // Phrases are looked for with the pairs of words of nearly all slices.
  const pairs = async () => (await rows(server, 'select count(*)::int as count from search_pairs'))[0].count
  // A slice settles when every older transaction of the server has ended, also those of other tests.
  await vi.waitFor(async () => expect(await turn().then(pairs)).toBeGreaterThan(5), { timeout: 60_000 })
  const stored = await rows(
    server,
    'select p.id from post p join user_account u on u.id = p.author_id where not u.protected and not u.suspended and not p.superseded order by p.id desc',
  )
  const found = await server.runtime.parts.many(
    postRow,
    stored.map((row) => row.id),
  )
  posts = await matchablePosts(
    server.runtime.parts,
    stored.map((row) => found.get(row.id)!),
  )
})
afterAll(() => server.close())

function leaf(): string {
  return some([
    () => some(WORDS),
    () => some(WORDS),
    () => `"${some(WORDS)} ${some(WORDS)}"`,
    () => `#${some(TAGS)}`,
    () => `@${some(USERS)}`,
    () => `from:${some([...USERS, 'nobody_here'])}`,
    () => `to:${some(USERS)}`,
    () => `reposts_of:${some(USERS)}`,
    () => `conversation_id:${conversation}`,
    () => `is:${some(['reply', 'repost', 'verified'])}`,
    () => `has:${some(['hashtags', 'mentions', 'links'])}`,
    () => `lang:${some(['en', 'fi'])}`,
    () => 'min_likes:1',
    () => 'absentword',
  ])()
}

function query(depth: number): string {
  const kind = depth === 0 ? 0 : random.below(6)
  const negated = random.chance(200) ? '-' : ''
  if (kind < 2) return negated + leaf()
  const parts = Array.from({ length: 2 + random.below(2) }, () => query(depth - 1))
  return `${negated}(${parts.join(kind < 4 ? ' ' : ' OR ')})`
}

/** The tree of a query that search accepts. */
function accepted(text: string): QueryNode | undefined {
  try {
    return checkQuery(parseQuery(text), 'all', legacyNaming)
  } catch {
    return undefined
  }
}

const QUERIES: string[] = []
while (QUERIES.length < 400) {
  const text = query(3)
  if (text.length <= 1_000) QUERIES.push(text)
}

/** Each post compared with the tree, without any index. */
function matching(tree: QueryNode): MatchablePost[] {
  const users = new Map(USERS.map((name) => [name, server.userId(name)]))
  const whole = compileQuery(tree, users, '')
  const requested = requestedReposts(tree)
  const asRepost = requested && compileQuery(requested, users, '')
  return posts.filter((post) => whole.matches(post) && (!post.facts.ids.repostedPost || asRepost?.matches(post)))
}

test('random queries find and count the posts that match when each is compared', async () => {
  let compared = 0
  for (const text of sampleOf('random queries', QUERIES, 120)) {
    const tree = accepted(text)
    if (!tree) continue
    const expected = matching(tree)
    // Reposts of a protected account are counted, but nobody is shown them.
    const shown = expected.filter((post) => post.facts.ids.repostedUser !== server.userId('chika'))
    const path = (kind: string) => `/2/posts/${kind}/all?query=${encodeURIComponent(text)}`
    const found = await server.get(`${path('search')}&max_results=500`)
    expect(found.status, text).toBe(200)
    expect(
      (found.body.data ?? []).map((item: { id: string }) => item.id),
      text,
    ).toEqual(shown.map((post) => post.facts.id))
    // The second count reads what the first one kept.
    for (const _ of [1, 2]) {
      const counted = await server.get(`${path('counts')}&granularity=day`)
      expect(counted.body.meta.total_post_count, text).toBe(expected.length)
    }
    compared += 1
  }
  expect(compared).toBeGreaterThan(20)
})
