import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { beginSlices } from '../../src/search/slices/begin-slice.ts'
import { SliceKeeper } from '../../src/search/slices/keep-slices.ts'
import { walkSlices } from '../../src/social/search/walk-slices.ts'
import { transaction } from '../../src/storage/database.ts'
import { makePost, rows } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const SIZES = { posts: 4, slices: 3 }
const HOUR = 3600_000

let server: TestServer
let keeper: SliceKeeper
beforeAll(async () => {
  server = await startTestServer(['--world', 'empty'])
  await server.command('user.update', { user: 'dario', subscription_type: 'Premium' })
  keeper = new SliceKeeper(server.runtime.database, SIZES)
})
afterAll(() => server.close())

/** A turn of the leader, as if statements in progress and the delays were over. */
const turn = () => keeper.turn(server.runtime.clock.now(), server.runtime.clock.now(), { aheadMs: 0, settleMs: 0 })

const PATIENCE = { timeout: 60_000 }

/** Transactions of other databases of the server count too, so one turn may not be enough. */
async function turnUntilCorrected(): Promise<void> {
  await expect
    .poll(async () => {
      await turn()
      return rows(server, 'select count(*)::int as count from search_slice where begun_xid is not null')
    }, PATIENCE)
    .toEqual([{ count: 0 }])
}

/** Turns until all slices that have ended are settled, for which one turn may not be enough either, and their pairs of words known. */
async function turnUntilPairs(): Promise<void> {
  await expect
    .poll(async () => {
      await turn()
      return rows(
        server,
        'select count(*)::int as count from search_slice where ended_xid is not null and (not settled or no not in (select slice from search_pairs))',
      )
    }, PATIENCE)
    .toEqual([{ count: 0 }])
}

async function write(user: string, text: string): Promise<string> {
  const id = await makePost(server, user, { text })
  await turn()
  return id
}

const address = (kind: string, query: string, more = '') => `/2/posts/${kind}?query=${encodeURIComponent(query)}${more}`

async function find(query: string, more = ''): Promise<string[]> {
  const answer = await server.get(address('search/all', query, `&max_results=100${more}`))
  expect(answer.status, answer.text).toBe(200)
  return (answer.body.data ?? []).map((item: { id: string }) => item.id)
}

async function count(query: string, more = ''): Promise<number> {
  const answer = await server.get(address('counts/all', query, `&granularity=day${more}`))
  expect(answer.status, answer.text).toBe(200)
  return answer.body.meta.total_post_count
}

const slices = () => rows(server, 'select no, coarse, first_id, last_id from search_slice order by first_id')
const coarse = () =>
  rows(
    server,
    `select no, first_id, last_id, not exists (select from search_slice s where s.coarse = c.no and not s.settled) as settled
       from search_coarse c order by first_id`,
  )

/** Every post has the terms of the slice that covers its id, and slices cover all ids. */
async function expectWhole(): Promise<void> {
  const wrong = await rows(
    server,
    `select t.id from post_terms t join search_slice s on t.id between s.first_id and s.last_id
      where not (t.terms @@ ('~f' || s.no)::tsquery and t.terms @@ ('~c' || s.coarse)::tsquery)
         or (select count(*) from unnest(tsvector_to_array(t.terms)) as l (term) where l.term like '~%') <> 2`,
  )
  expect(wrong).toEqual([])
  for (const tiles of [await slices(), await coarse()]) {
    expect(tiles[0].first_id).toBe('0')
    expect(tiles.at(-1).last_id).toBe('9223372036854775807')
    for (const [index, tile] of tiles.slice(1).entries())
      expect(BigInt(tile.first_id)).toBe(BigInt(tiles[index].last_id) + 1n)
  }
  const outside = await rows(
    server,
    `select s.no from search_slice s join search_coarse c on c.no = s.coarse where s.first_id < c.first_id or s.last_id > c.last_id`,
  )
  expect(outside).toEqual([])
}

describe('with slices of four posts', () => {
  const all: string[] = []
  const rare: string[] = []
  beforeAll(async () => {
    for (let number = 0; number < 60; number++) {
      const id = await write(
        number % 2 ? 'alice' : 'bob',
        `Kiwi number ${number}${number % 20 === 3 ? ' lantern' : ''}`,
      )
      all.unshift(id)
      if (number % 20 === 3) rare.unshift(id)
    }
  })

  test('there are many slices and coarse slices, which cover all ids', async () => {
    expect((await slices()).length).toBeGreaterThan(10)
    expect((await coarse()).length).toBeGreaterThan(3)
    await expectWhole()
  })

  test('a search finds posts of all slices, newest first', async () => {
    expect(await find('kiwi')).toEqual(all)
    expect(await find('lantern')).toEqual(rare)
    expect(await find('"kiwi number" lantern')).toEqual(rare)
    expect(await find('lantern OR absentword')).toEqual(rare)
    expect(await find('absentword')).toEqual([])
    expect(await find('kiwi -lantern')).toEqual(all.filter((id) => !rare.includes(id)))
  })

  test('a post is found right after its answer, without a turn of the leader', async () => {
    const id = await makePost(server, 'bob', { text: 'A pomelo is found at once' })
    expect(await find('pomelo')).toEqual([id])
    const removed = await server.delete(`/2/posts/${id}`, { user: 'bob' })
    expect(removed.status).toBe(200)
    expect(await find('pomelo')).toEqual([])
  })

  test('pages follow each other across slices, forwards without gaps', async () => {
    const seen: string[] = []
    let token = ''
    do {
      const answer = await server.get(
        address('search/all', 'kiwi', `&max_results=10${token && `&next_token=${token}`}`),
      )
      expect(answer.status, answer.text).toBe(200)
      seen.push(...answer.body.data.map((item: { id: string }) => item.id))
      token = answer.body.meta.next_token ?? ''
    } while (token)
    expect(seen).toEqual(all)
  })

  test('since_id and until_id cut at any post, also at the ends of slices', async () => {
    for (let at = 0; at < all.length; at += 3) {
      expect(await find('kiwi', `&since_id=${all[at]}`)).toEqual(all.slice(0, at))
      expect(await find('kiwi', `&until_id=${all[at]}`)).toEqual(all.slice(at + 1))
    }
    expect(await find('kiwi', `&since_id=${all[40]}&until_id=${all[5]}`)).toEqual(all.slice(6, 40))
  })

  // With samples that are smaller than a slice, every way of reading is taken: by id, by slice, by coarse slice, and one after another.
  test.each([
    { few: 2, sample: 3, many: 1, read: 5, some: 1 },
    { few: 4, sample: 6, many: 5, read: 7, some: 2 },
    { few: 6, sample: 2, many: 3, read: 1, some: 3 },
    { few: 100, sample: 8, many: 8, read: 9, some: 1 },
  ])('walks find the same posts whatever is looked at first: %o', async (sizes) => {
    const walk = walkSlices({
      terms: '(select $1::tsquery)',
      after: '(select $2::bigint)',
      before: '(select $3::bigint)',
      limit: '(select $4::int)',
      sizes,
    })
    const naive = `select id from post_terms where terms @@ $1::tsquery and id > $2::bigint and id < $3::bigint order by id desc limit $4::int`
    for (const query of [
      `'kiwi'`,
      `'lantern'`,
      `'kiwi' & !'lantern'`,
      `'1' | '17' | '40' | '41' | '58'`,
      `'absentword'`,
    ])
      for (const at of [0, 1, 5, 13, 30, 58])
        for (const [after, before] of [
          ['0', all[at]],
          [all[at], '9223372036854775807'],
          [all.at(-2), all[at]],
        ])
          for (const limit of [1, 7, 100]) {
            const values = [query, after, before, limit]
            const ids = async (text: string) => (await rows(server, text, values)).map((row) => row.id)
            const found = await ids(`select id from (${walk}) w`)
            expect(found, values.join(' ')).toEqual(await ids(naive))
          }
  })

  test('posts of one author are found among all slices', async () => {
    const own = all.filter((_, index) => index % 2 === 0)
    expect(await find('kiwi from:alice')).toEqual(own)
    expect(await find('lantern from:alice')).toEqual(rare)
    expect(await find('lantern from:bob')).toEqual([])
    expect(await find('kiwi (from:alice OR from:bob)')).toEqual(all)
    // Bob has older posts of the first world.
    expect(await find('lantern OR from:bob', `&since_id=${BigInt(all.at(-1)!) - 1n}`)).toEqual(
      all.filter((id, index) => index % 2 === 1 || rare.includes(id)),
    )
  })

  test('counts of settled slices are kept, and change with what happens in them', async () => {
    await turn()
    expect((await coarse()).filter((item) => item.settled).length).toBeGreaterThan(2)
    const kept = async () => Number((await rows(server, 'select count(*) from search_count'))[0].count)
    expect(await count('lantern')).toBe(3)
    await expect.poll(kept).toBeGreaterThan(2)
    expect(await count('lantern')).toBe(3)

    // A post of the oldest slices is deleted.
    const oldest = rare.at(-1)!
    expect((await server.delete(`/2/posts/${oldest}`, { user: 'alice' })).status).toBe(200)
    expect(await count('lantern')).toBe(2)
    await turn()
    expect(await count('lantern')).toBe(2)
    expect(await find('lantern')).toEqual(rare.slice(0, -1))
    rare.pop()
    all.splice(all.indexOf(oldest), 1)

    // Protecting and suspending the author changes all counts.
    for (const [change, undo] of [
      [{ protected: true }, { protected: false }],
      [{ suspended: true }, { suspended: false }],
    ]) {
      await server.command('user.update', { user: 'alice', ...change })
      expect(await count('lantern')).toBe(0)
      expect(await find('lantern')).toEqual([])
      await turn()
      expect(await count('lantern')).toBe(0)
      await server.command('user.update', { user: 'alice', ...undo })
      expect(await count('lantern')).toBe(2)
      expect(await find('lantern')).toEqual(rare)
    }
  })

  test('a range that begins and ends within coarse slices reads kept counts of its slices, which change too', async () => {
    const ofSecond = `label in (select '~f' || no from search_slice where coarse = 1)`
    const keptSlices = async () =>
      Number((await rows(server, `select count(*) from search_count where ${ofSecond}`))[0].count)
    const second = (await slices()).find((slice) => slice.coarse === 1)
    const range = `&since_id=${second.first_id}&until_id=${all[1]}`
    const inRange = all.slice(2).filter((id) => BigInt(id) > BigInt(second.first_id))
    await turn()
    await rows(server, 'delete from search_count')
    expect(await count('kiwi', range)).toBe(inRange.length)
    await expect.poll(keptSlices).toBeGreaterThan(0)
    expect(await count('kiwi', range)).toBe(inRange.length)
    // The counts are from the table: nothing notes this change.
    await rows(server, `update search_count set posts = regexp_replace(posts, '\\d+', '9\\&', 'g') where ${ofSecond}`)
    expect(await count('kiwi', range)).toBeGreaterThan(inRange.length)
    const removed = inRange.at(-1)!
    const [author] = await rows(
      server,
      'select u.username from post p join user_account u on u.id = p.author_id where p.id = $1',
      [removed],
    )
    expect((await server.delete(`/2/posts/${removed}`, { user: author.username })).status).toBe(200)
    expect(await count('kiwi', range)).toBe(inRange.length - 1)
    all.splice(all.indexOf(removed), 1)
  })

  test('a phrase is looked for only in slices that have its pairs of words', async () => {
    await turnUntilPairs()
    const phrase = async () => (await find('"kiwi number"')).filter((id) => all.includes(id))
    expect(await phrase()).toEqual(all)
    expect(await find('"number kiwi"')).toEqual([])
    expect(await find('"number 23 lantern"')).toEqual(rare.filter((_, index) => index === rare.length - 1))
    const [{ no }] = await rows(server, 'select no from search_slice where $1::bigint between first_id and last_id', [
      all[30],
    ])
    const inSlice = (id: string) =>
      rows(server, `select from post_terms where id = $1 and terms @@ ('~f' || $2::int)::tsquery`, [id, no])
    const others: string[] = []
    for (const id of all) if ((await inSlice(id)).length === 0) others.push(id)
    expect(others.length).toBeLessThan(all.length)
    // Without its pairs the slice is not read, and without the row it is.
    await rows(server, `update search_pairs set bits = decode(repeat('00', length(bits)), 'hex') where slice = $1`, [
      no,
    ])
    expect(await phrase()).toEqual(others)
    expect(await find('kiwi number')).toEqual(all)
    await rows(server, 'delete from search_pairs where slice = $1', [no])
    expect(await phrase()).toEqual(all)
    await turnUntilPairs()
    expect(await phrase()).toEqual(all)
  })

  test('an edited post is found by its new text only', async () => {
    const first = await write('dario', 'A quince before the edit')
    for (let number = 0; number < 12; number++) await write('bob', `Something else ${number}`)
    expect(await count('quince')).toBe(1)
    const edited = await server.post(
      '/2/posts',
      { text: 'A mango after the edit', edit_options: { previous_post_id: first } },
      { user: 'dario' },
    )
    expect(edited.status, edited.text).toBe(201)
    expect(await find('quince')).toEqual([])
    expect(await count('quince')).toBe(0)
    expect(await find('mango')).toEqual([edited.body.data.id])
    expect((await server.delete(`/2/posts/${edited.body.data.id}`, { user: 'dario' })).status).toBe(200)
    expect(await find('mango')).toEqual([])
    expect(await rows(server, 'select from post_terms where id = any($1)', [[first, edited.body.data.id]])).toEqual([])
  })

  test('reposts are in slices too, and go with the original', async () => {
    const original = await write('bob', 'An apricot to repost')
    const done = await server.post(
      `/2/users/${server.userId('alice')}/reposts`,
      { post_id: original },
      { user: 'alice' },
    )
    expect(done.status, done.text).toBe(200)
    await turn()
    expect(await find('apricot')).toEqual([original])
    expect((await find('apricot is:repost')).length).toBe(1)
    await expectWhole()
    expect((await server.delete(`/2/posts/${original}`, { user: 'bob' })).status).toBe(200)
    expect(await find('apricot is:repost')).toEqual([])
  })
})

describe('when the clock moves', () => {
  test('posts of the future and of the past fall into the slices that cover them, in the order of time', async () => {
    await server.command('clock', { advance_ms: 2 * HOUR })
    const future: string[] = []
    for (let number = 0; number < 10; number++) future.unshift(await write('bob', `Walnut of the future ${number}`))
    await server.command('clock', { reset: true })
    const present: string[] = []
    for (let number = 0; number < 14; number++) present.unshift(await write('bob', `Walnut of the present ${number}`))
    await expectWhole()
    // Recent search ends with the present.
    expect(await find('walnut')).toEqual(present)
    await server.command('clock', { advance_ms: 3 * HOUR })
    await turn()
    expect(await find('walnut')).toEqual([...future, ...present])
    expect(await count('walnut')).toBe(24)
    // Now the slices of the future have ended; going back writes into slices whose counts are kept.
    await turn()
    expect(await count('walnut')).toBe(24)
    await server.command('clock', { reset: true })
    const late = await makePost(server, 'bob', { text: 'Walnut that comes late' })
    await server.command('clock', { advance_ms: 3 * HOUR })
    expect(await find('walnut')).toEqual([...future, late, ...present])
    expect(await count('walnut')).toBe(25)
    await turn()
    expect(await count('walnut')).toBe(25)
    await expectWhole()
    await server.command('clock', { reset: true })
  })
})

describe('while slices begin', () => {
  test('posts that are written at the same time are found, and get the terms of their slice', async () => {
    const writing = Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        makePost(server, number % 2 ? 'alice' : 'bob', { text: `Hazelnut ${number}` }),
      ),
    )
    const turning = (async () => {
      for (let number = 0; number < 20; number++) await turn()
    })()
    const [ids] = await Promise.all([writing, turning])
    expect((await find('hazelnut')).toSorted()).toEqual(ids.toSorted())
    await turnUntilCorrected()
    await expectWhole()
    expect(await find('hazelnut')).toEqual(ids.toSorted((left, right) => (BigInt(left) < BigInt(right) ? 1 : -1)))
  })

  test('a statement that began before a slice and gets its transaction number after it is corrected', async () => {
    const { database } = server.runtime
    const id = await makePost(server, 'bob', { text: 'A pecan' })
    await rows(server, 'delete from post_terms where id = $1', [id])
    const late = rows(
      server,
      `insert into post_terms (id, author_id, repost, terms)
       select $1::bigint, (select author_id from post where id = $1::bigint), false,
              to_tsvector('simple', 'pecan') || array_to_tsvector(array['~f' || s.no, '~c' || s.coarse])
         from (select pg_sleep(0.4)) as wait cross join search_slice s
        where $1::bigint between s.first_id and s.last_id`,
      [id],
    )
    await setTimeout(100)
    await transaction(database, (tx) => beginSlices(tx, [id], SIZES))
    await turn()
    await turn()
    await late
    await turnUntilCorrected()
    await expectWhole()
    expect(await find('pecan')).toEqual([id])
  })

  test('a statement that did not see a new slice is corrected', async () => {
    const { database } = server.runtime
    const writer = await database.pool.connect()
    const ids: string[] = []
    for (let number = 0; number < 3; number++) ids.push(await makePost(server, 'bob', { text: `Chestnut ${number}` }))
    try {
      // It takes the terms as they are before the slice begins, and stores them afterwards.
      await writer.query('begin')
      await writer.query('update post_terms set terms = terms where id = $1', [ids[1]])
      await transaction(database, (tx) => beginSlices(tx, [(BigInt(ids[2]!) + 1n).toString()], SIZES))
      await turn()
      const [waiting] = await rows(
        server,
        'select count(*)::int as count from search_slice where begun_xid is not null',
      )
      expect(waiting.count).toBeGreaterThan(0)
      await writer.query('commit')
    } finally {
      writer.release()
    }
    const [newest] = await rows(server, 'select no, coarse, first_id from search_slice order by first_id desc limit 1')
    await rows(
      server,
      `update post_terms set terms = ts_delete(terms, '~f' || $2::int) || array_to_tsvector(array['~f0']) where id > $1::bigint and terms @@ ('~f' || $2::int)::tsquery`,
      [ids[2], newest.no],
    )
    await turnUntilCorrected()
    await expectWhole()
    expect(await find('chestnut')).toEqual(ids.toReversed())
  })
})

describe('phrases in posts that come late', () => {
  const olives: string[] = []
  /** Whether the pairs of words of the slice of a post are known. */
  const isKnown = async (id: string) =>
    (
      await rows(
        server,
        'select from search_slice s join search_pairs on slice = s.no where $1::bigint between first_id and last_id',
        [id],
      )
    ).length === 1

  test('are found when the pairs of words of their slice were known before', async () => {
    for (let number = 0; number < 10; number++) olives.unshift(await write('bob', `Green olive ${number}`))
    await server.command('clock', { advance_ms: 5 * HOUR })
    for (let number = 0; number < 10; number++)
      olives.unshift(await write('bob', `Green olive of the future ${number}`))
    await server.command('clock', { advance_ms: HOUR })
    await turnUntilPairs()
    expect(await isKnown(olives.at(-1)!)).toBe(true)
    expect(await find('"green olive"')).toEqual(olives)
    expect(await find('"black olive"')).toEqual([])
    await server.command('clock', { reset: true })
    const late = await makePost(server, 'bob', { text: 'A black olive' })
    await server.command('clock', { advance_ms: 6 * HOUR })
    expect(await find('"black olive"')).toEqual([late])
    await turn()
    expect(await find('"black olive"')).toEqual([late])
    await turnUntilPairs()
    expect(await isKnown(late)).toBe(true)
    expect(await find('"black olive"')).toEqual([late])
    expect(await find('"green olive"')).toEqual(olives)
  })

  test('are found when the clock had returned to their slice', async () => {
    await server.command('clock', { reset: true })
    await turn()
    const id = await makePost(server, 'bob', { text: 'A purple olive' })
    expect(await isKnown(id)).toBe(false)
    await server.command('clock', { advance_ms: 6 * HOUR })
    expect(await find('"purple olive"')).toEqual([id])
    await turnUntilPairs()
    expect(await isKnown(id)).toBe(true)
    expect(await find('"purple olive"')).toEqual([id])
    await server.command('clock', { reset: true })
  })

  test('are found when a snapshot brings them back', async () => {
    await server.command('clock', { advance_ms: 6 * HOUR })
    await turnUntilPairs()
    const [removed] = olives.slice(-3)
    await server.command('snapshot.save', { name: 'olives' })
    expect((await server.delete(`/2/posts/${removed}`, { user: 'bob' })).status).toBe(200)
    await rows(server, 'delete from search_pairs')
    await turnUntilPairs()
    expect(await find('"green olive"')).toEqual(olives.filter((id) => id !== removed))
    await server.command('snapshot.restore', { name: 'olives' })
    expect(await find('"green olive"')).toEqual(olives)
    await turnUntilPairs()
    expect(await find('"green olive"')).toEqual(olives)
    await server.command('clock', { reset: true })
  })
})

test('after a reset there is one slice again, and posts are found', async () => {
  const reset = await server.request('POST', '/_rostra/reset', { as: { bearer: server.credentials.admin_key } })
  expect(reset.status, reset.text).toBeLessThan(300)
  expect((await slices()).length).toBe(1)
  const id = await makePost(server, 'bob', { text: 'A plum after the reset' })
  expect(await find('plum')).toEqual([id])
  await expectWhole()
})
