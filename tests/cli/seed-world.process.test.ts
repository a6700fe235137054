import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { weighText } from '../../src/social/text/weigh.ts'
import { type SeedOrder, SeedPlan } from '../../src/world/seed-plan.ts'
import { SeedError, type SeedProgress, seedWorld } from '../../src/world/seed-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { inexactMetrics, worldChecksum } from './seeded-world.ts'

const ORDER: SeedOrder = {
  seed: 42,
  users: 300,
  posts: 9_000,
  follows: 3_000,
  untilMs: Date.UTC(2026, 5, 1),
  baseUrl: 'http://pictures.test',
}
const quietly = { progress: () => {}, stopped: () => false }

let server: TestServer
const rows = async <R extends Record<string, unknown>>(text: string): Promise<R[]> =>
  (await server.runtime.database.query<R>({ text })).rows
const seeded = `author_id in (select id from user_account where username like 'seed42\\_%')`

beforeAll(async () => {
  server = await startTestServer()
  const result = await seedWorld(server.runtime.database, ORDER, quietly, { anyMoment: false })
  expect(result).toMatchObject({ outcome: 'made', progress: { users: 300, follows: 3_000, posts: 9_000 } })
})
afterAll(() => server.close())

describe('a seeded world', () => {
  test('has as many rows as ordered', async () => {
    const [count] = await rows(
      `select (select count(*)::int from user_account where username like 'seed42\\_%') as users,
              (select count(*)::int from follow where source_id in (select id from user_account where username like 'seed42\\_%')) as follows,
              (select count(*)::int from post where ${seeded}) as posts`,
    )
    expect(count).toEqual({ users: 300, follows: 3_000, posts: 9_000 })
  })

  test('has exact counters of users and posts', async () => {
    expect(await inexactMetrics(server.runtime.database, 'seed42')).toEqual({ users: 0, posts: 0 })
    const [used] = await rows(
      `select max(followers_count) as followers, max(verified_followers_count) as verified, max(post_count) as posts,
              (select max(reply_count) from post_metrics) as replies, (select max(quote_count) from post_metrics) as quotes,
              (select max(repost_count) from post_metrics) as reposts, (select max(like_count) from post_metrics) as likes,
              max(like_count) as liked, max(media_count) as media from user_metrics`,
    )
    for (const most of Object.values(used!)) expect(most).toBeGreaterThan(5)
  })

  test('has usernames of at most 15 characters, and users of every kind', async () => {
    const [facts] = await rows(
      `select max(length(username)) as longest, count(distinct lower(username))::int as names,
              array(select distinct verified_type from user_account where username like 'seed42\\_%' order by 1) as types,
              count(*) filter (where protected)::int as protected, count(distinct name)::int as shown
         from user_account where username like 'seed42\\_%'`,
    )
    expect(facts).toMatchObject({ names: 300 })
    expect(facts!.types).toEqual(expect.arrayContaining(['none', 'blue']))
    expect(facts!.protected).toBeGreaterThan(3)
    expect(facts!.shown).toBeGreaterThan(100)
    expect(new SeedPlan({ ...ORDER, seed: 99_999, users: 10_000_000 }).username(9_999_999).length).toBeLessThanOrEqual(
      15,
    )
  })

  test('has entities whose positions count code points of the stored text', async () => {
    const wrong = await rows(
      `select p.id, e.kind, e.item from post p, lateral (
         select 'mentions' as kind, item, '@' || (item->>'username') as words from jsonb_array_elements(entities->'mentions') item
         union all select 'hashtags', item, '#' || (item->>'tag') from jsonb_array_elements(entities->'hashtags') item
         union all select 'cashtags', item, '$' || (item->>'tag') from jsonb_array_elements(entities->'cashtags') item
         union all select 'urls', item, item->>'url' from jsonb_array_elements(entities->'urls') item) e
        where ${seeded} and substr(p.text, (item->>'start')::int + 1, (item->>'end')::int - (item->>'start')::int) <> e.words`,
    )
    expect(wrong).toEqual([])
    const [kinds] = await rows<Record<string, number>>(
      `select count(*) filter (where entities ? 'mentions')::int as mentions, count(*) filter (where entities ? 'hashtags')::int as hashtags,
              count(*) filter (where entities ? 'cashtags')::int as cashtags, count(*) filter (where entities ? 'urls')::int as urls,
              count(*) filter (where octet_length(text) <> length(text))::int as beyond_ascii,
              count(*) filter (where text ~ '&(amp|lt);')::int as escaped from post where ${seeded}`,
    )
    for (const count of Object.values(kinds!)) expect(count).toBeGreaterThan(50)
  })

  test('has mentions of existing users, short links that lead somewhere, and texts within the limits', async () => {
    const [wrong] = await rows(
      `select (select count(*)::int from post p, jsonb_array_elements(p.entities->'mentions') m
                where ${seeded} and not exists (select from user_account u where u.username = m->>'username' and u.id = (m->>'id')::bigint
                  and u.id = any(p.mentioned_user_ids))) as mentions,
              (select count(*)::int from post p, jsonb_array_elements(p.entities->'urls') l
                where ${seeded} and reposted_post_id is null and not exists (select from short_link s where s.url = l->>'expanded_url' and l->>'url' like '%/' || s.code)) as links,
              (select count(*)::int from post where ${seeded} and (display_start >= display_end
                or (media_keys = '{}' or reposted_post_id is not null) and display_end <> length(text))) as ranges`,
    )
    expect(wrong).toEqual({ mentions: 0, links: 0, ranges: 0 })
    const texts = await rows<{ text: string }>(`select text from post where ${seeded}`)
    expect(Math.max(...texts.map(({ text }) => weighText(text)))).toBeLessThanOrEqual(280)
    expect(new Set(texts.map(({ text }) => text)).size).toBeGreaterThan(8_000)
    const languages = await rows(`select lang from post where ${seeded} group by 1`)
    expect(languages.map(({ lang }) => lang).sort()).toEqual(['de', 'en', 'es', 'fr', 'ja', 'ko', 'pt'])
  })

  test('has replies that come later, stay in their conversation and never answer a protected user', async () => {
    const [wrong] = await rows(
      `select count(*) filter (where p.in_reply_to_post_id is not null and (t.id is null or t.id >= p.id or t.author_id <> p.in_reply_to_user_id
                or t.conversation_id <> p.conversation_id or u.protected))::int as answers,
              count(*) filter (where p.in_reply_to_post_id is null and p.conversation_id <> p.id)::int as beginnings,
              count(*) filter (where p.quoted_post_id is not null and (q.id is null or q.id >= p.id or v.protected))::int as quotes
         from post p left join post t on t.id = p.in_reply_to_post_id left join user_account u on u.id = t.author_id
         left join post q on q.id = p.quoted_post_id left join user_account v on v.id = q.author_id where p.${seeded}`,
    )
    expect(wrong).toEqual({ answers: 0, beginnings: 0, quotes: 0 })
  })

  test('has a few users who write and are followed far more than the others', async () => {
    const [share] = await rows<{ posts: number; followers: number }>(
      `with ranked as (select post_count, followers_count, row_number() over (order by post_count desc) as by_posts,
          row_number() over (order by followers_count desc) as by_followers from user_metrics)
       select sum(post_count) filter (where by_posts <= 30)::float / sum(post_count) as posts,
              sum(followers_count) filter (where by_followers <= 30)::float / sum(followers_count) as followers from ranked`,
    )
    expect(share!.posts).toBeGreaterThan(0.4)
    expect(share!.followers).toBeGreaterThan(0.25)
  })

  test('has posts of the 30 days before its moment, and older users', async () => {
    const [span] = await rows<{ first: string; last: string; users: Date }>(
      `select min(p.id)::text as first, max(p.id)::text as last, (select max(created_at) from user_account where username like 'seed42\\_%') as users
         from post p where ${seeded}`,
    )
    const time = (id: string) => Number((BigInt(id) >> 22n) + 1288834974657n)
    const start = ORDER.untilMs - 30 * 24 * 3600_000
    expect(time(span!.first)).toBeGreaterThanOrEqual(start)
    expect(time(span!.last)).toBeLessThan(ORDER.untilMs)
    expect(span!.users.getTime()).toBeLessThan(start)
  })

  test('has reposts of posts that come before them, each once for a user', async () => {
    const [reposts] = await rows(
      `select count(*)::int as count, count(distinct (r.reposted_post_id, r.author_id))::int as pairs,
              count(*) filter (where o.id is null or o.id >= r.id or o.author_id = r.author_id or o.reposted_post_id is not null
                or o.media_keys <> r.media_keys)::int as wrong
         from post r left join post o on o.id = r.reposted_post_id where r.reposted_post_id is not null and r.${seeded}`,
    )
    expect(reposts).toEqual({ count: expect.any(Number), pairs: reposts!.count, wrong: 0 })
    expect(reposts!.count).toBeGreaterThan(200)
  })

  test('has likes that come after their posts and before its moment, never of protected posts', async () => {
    const [likes] = await rows(
      `select count(*)::int as count, count(*) filter (where l.id >> 22 < l.post_id >> 22 or u.protected)::int as wrong,
              max(((l.id >> 22) + 1288834974657))::float8 as latest
         from post_like l join post p on p.id = l.post_id join user_account u on u.id = p.author_id where p.${seeded}`,
    )
    expect(likes).toMatchObject({ wrong: 0 })
    expect(likes!.count).toBeGreaterThan(5_000)
    expect(likes!.latest).toBeLessThan(ORDER.untilMs)
  })

  test('has pictures that several posts share, and which can be opened', async () => {
    const [post] = await rows<{ id: string }>(
      `select p.id::text from post p join user_account u on u.id = p.author_id
        where p.media_keys <> '{}' and p.reposted_post_id is null and not u.protected and p.${seeded} limit 1`,
    )
    const read = await server.get(
      `/2/posts/${post!.id}?post.fields=attachments,entities,display_text_range&expansions=attachments.media_keys,author_id&media.fields=url,width,alt_text`,
    )
    const [picture] = read.body.includes.media
    expect(picture).toMatchObject({
      type: 'photo',
      width: 640,
      url: expect.stringMatching(/^http:\/\/pictures\.test\//),
    })
    const link = read.body.data.entities.urls.at(-1)
    expect(link).toMatchObject({ media_key: picture.media_key, end: [...read.body.data.text].length })
    const opened = await fetch(picture.url.replace('http://pictures.test', server.baseUrl))
    expect([opened.status, opened.headers.get('content-type')]).toEqual([200, 'image/png'])
    const query = encodeURIComponent(`from:${read.body.includes.users[0].username} has:images`)
    const found = await server.get(`/2/posts/search/all?query=${query}&end_time=2026-06-01T00:00:00Z`)
    expect(found.body.meta.result_count).toBeGreaterThan(0)
    const [stored] = await rows(
      `select count(*)::int as pictures, sum(post_uses)::int as uses, (select sum(size)::int from media_segment) as bytes,
              (select count(*)::int from post where media_keys <> '{}' and reposted_post_id is null and ${seeded}) as posts from media`,
    )
    expect(stored!.uses).toBe(stored!.posts)
    expect(stored!.uses).toBeGreaterThan(20 * (stored!.pictures as number))
    expect(stored!.bytes).toBeLessThan(200_000)
  })

  test('is read through the interface like any other', async () => {
    const [answer] = await rows<{ id: string; username: string; target: string }>(
      `select p.id::text, u.username, p.in_reply_to_post_id::text as target from post p join user_account u on u.id = p.author_id
        where p.in_reply_to_post_id is not null and not u.protected and p.${seeded} order by p.id limit 1`,
    )
    const read = await server.get(
      `/2/posts/${answer!.id}?post.fields=entities,referenced_posts,public_metrics&expansions=author_id,referenced_posts.id`,
    )
    expect(read.status).toBe(200)
    expect(read.body.errors).toBeUndefined()
    expect(read.body.includes.users[0].username).toBe(answer!.username)
    expect(read.body.data.referenced_posts).toContainEqual({ type: 'replied_to', id: answer!.target })
  })
})

describe('the same order again', () => {
  test('changes nothing', async () => {
    const before = await worldChecksum(server.runtime.database)
    const again = await seedWorld(server.runtime.database, ORDER, quietly, { anyMoment: false })
    expect(again).toMatchObject({ outcome: 'present', run: { users: { rows: 0 }, posts: { rows: 0 } } })
    expect(await worldChecksum(server.runtime.database)).toEqual(before)
  })

  test('with other sizes or another moment is refused with the values that were used', async () => {
    for (const other of [{ posts: 9_001 }, { users: 301 }, { follows: 1 }, { untilMs: ORDER.untilMs + 1 }]) {
      const refused = seedWorld(server.runtime.database, { ...ORDER, ...other }, quietly, { anyMoment: false })
      await expect(refused).rejects.toThrow(SeedError)
      await expect(refused).rejects.toThrow(/--users 300 --posts 9000 --follows 3000 --until 2026-06-01T00:00:00.000Z/)
    }
  })

  test('completes a run that was stopped, and every stop leaves exact counters', async () => {
    const other = await startTestServer()
    try {
      const { database } = other.runtime
      const outcomes: string[] = []
      for (let run = 0; run < 8 && outcomes.at(-1) !== 'completed'; run++) {
        let steps = 0
        const watch = { progress: (_: SeedProgress) => void steps++, stopped: () => steps >= 1 }
        outcomes.push((await seedWorld(database, ORDER, watch, { anyMoment: false })).outcome)
        expect(await inexactMetrics(database, 'seed42')).toEqual({ users: 0, posts: 0 })
      }
      // Posts are written in two steps at a time.
      expect(outcomes).toEqual(['stopped', 'stopped', 'stopped', 'completed'])
      expect(await worldChecksum(database)).toEqual(await worldChecksum(server.runtime.database))
    } finally {
      await other.close()
    }
  })

  test('is created again after a reset', async () => {
    const other = await startTestServer()
    try {
      const order = { ...ORDER, posts: 200, users: 20, follows: 40 }
      await seedWorld(other.runtime.database, order, quietly, { anyMoment: false })
      const before = await worldChecksum(other.runtime.database)
      const reset = await other.request('POST', '/_rostra/reset', { as: { bearer: other.credentials.admin_key } })
      expect(reset.status).toBe(200)
      expect((await seedWorld(other.runtime.database, order, quietly, { anyMoment: false })).outcome).toBe('made')
      expect(await worldChecksum(other.runtime.database)).toEqual(before)
    } finally {
      await other.close()
    }
  })

  test('ends with a message when a reset comes between, and can be created again', async () => {
    const other = await startTestServer()
    try {
      let reset: Promise<{ status: number }> | undefined
      const watch = {
        progress: ({ posts }: SeedProgress) => {
          if (posts > 0)
            reset ??= other.request('POST', '/_rostra/reset', { as: { bearer: other.credentials.admin_key } })
        },
        stopped: () => false,
      }
      const order = { ...ORDER, posts: 60_000 }
      await expect(seedWorld(other.runtime.database, order, watch, { anyMoment: false })).rejects.toThrow(SeedError)
      expect((await reset)?.status).toBe(200)
      const small = { ...ORDER, posts: 200, users: 20, follows: 40 }
      expect((await seedWorld(other.runtime.database, small, quietly, { anyMoment: false })).outcome).toBe('made')
      expect(await inexactMetrics(other.runtime.database, 'seed42')).toEqual({ users: 0, posts: 0 })
    } finally {
      await other.close()
    }
  })

  test('another seed has its own rows beside it', async () => {
    const other = { ...ORDER, seed: 43, users: 100, posts: 500, follows: 200 }
    expect((await seedWorld(server.runtime.database, other, quietly, { anyMoment: false })).outcome).toBe('made')
    expect(await inexactMetrics(server.runtime.database, 'seed4')).toEqual({ users: 0, posts: 0 })
  })

  test('a name that is taken is refused with a message', async () => {
    await server.command('user.create', { username: 'seed44_0' })
    const refused = seedWorld(server.runtime.database, { ...ORDER, seed: 44 }, quietly, { anyMoment: false })
    await expect(refused).rejects.toThrow(/begins with seed44_.*Choose another --seed/)
  })
})

describe('small worlds', () => {
  test('is in recent search and in the home timelines of the first users when its moment is now', async () => {
    const now = server.runtime.clock.now()
    const order = { seed: 50, users: 40, posts: 400, follows: 100, untilMs: now }
    await seedWorld(server.runtime.database, order, quietly, { anyMoment: false })
    await server.command('cache.forget')
    const plan = new SeedPlan(order)
    const author = plan.username(plan.popularUsers()[0]!)
    const found = await server.get(`/2/posts/search/recent?query=${encodeURIComponent(`from:${author}`)}`)
    expect(found.body.meta.result_count).toBeGreaterThan(0)
    const home = await server.get(
      `/2/users/${server.userId('alice')}/timelines/reverse_chronological?expansions=author_id&max_results=50`,
      { user: 'alice' },
    )
    const shown = home.body.includes.users.map((user: { username: string }) => user.username)
    expect(shown).toContainEqual(expect.stringMatching(/^seed50_/))
    expect(await inexactMetrics(server.runtime.database, 'seed50')).toEqual({ users: 0, posts: 0 })
    const alice = await rows(
      `select m.following_count - (select count(*)::int from follow f where f.source_id = m.user_id and not f.pending) as off
         from user_metrics m where m.user_id = ${server.userId('alice')}`,
    )
    expect(alice).toEqual([{ off: 0 }])
  })

  test.each([
    [{ users: 1, posts: 5, follows: 0 }],
    [{ users: 2, posts: 0, follows: 2 }],
    [{ users: 5, posts: 1, follows: 20 }],
  ])('%o can be made', async (sizes) => {
    const other = { ...ORDER, ...sizes, seed: 1_000 + sizes.users }
    const result = await seedWorld(server.runtime.database, other, quietly, { anyMoment: false })
    expect(result).toMatchObject({ outcome: 'made', progress: sizes })
    expect(await inexactMetrics(server.runtime.database, `seed${other.seed}`)).toEqual({ users: 0, posts: 0 })
  })
})
