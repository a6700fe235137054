import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readUserCursor, writeUserCursor } from '../../src/social/users/search-cursor.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { invalidRequest, rows } from './acting.ts'
import { newUser, walk } from './relating.ts'

const me: As = { user: 'bob' }
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const find = (query: string, more = '') => server.get(`/2/users/search?query=${encodeURIComponent(query)}${more}`, me)
async function names(query: string): Promise<string[]> {
  const answer = await find(query)
  expect(answer.status).toBe(200)
  return (answer.body.data ?? []).map((item: { username: string }) => item.username)
}

describe('a search for users', () => {
  test('finds by username, name and bio, ignoring case, by prefixes of words', async () => {
    expect(await names('ALICE')).toEqual(['alice'])
    expect(await names('moreau')).toEqual(['alice'])
    expect(await names('Oka')).toEqual(['bob'])
    expect(await names('bicycles')).toEqual(['chika'])
    expect(await names('icycles')).toEqual([])
    expect(await names('nobody_has_this')).toEqual([])
  })

  test('requires every word, in any order and in any of the three', async () => {
    expect(await names('dario conti cooks')).toEqual(['dario'])
    expect(await names('eats Con')).toEqual(['dario'])
    expect(await names('dario moreau')).toEqual([])
    expect(await names("maps 'trains'")).toEqual(['bob'])
  })

  test('shows the user with that username first, then those that begin with it, then the others, each by followers', async () => {
    for (const [username, name] of [
      ['kilo', 'Short'],
      ['kilogram', 'Well followed'],
      ['kilometre', 'Less followed'],
      ['heavy', 'Kilo in name'],
      ['far_away', 'Popular'],
    ])
      await server.command('user.create', { username, name, description: username === 'far_away' ? 'A kilo' : '' })
    for (const [source, target] of [
      ['alice', 'kilogram'],
      ['bob', 'kilogram'],
      ['bob', 'kilometre'],
      ['alice', 'far_away'],
      ['bob', 'far_away'],
      ['dario', 'far_away'],
      ['alice', 'heavy'],
    ])
      await server.command('relation.add', { kind: 'follow', source, target })
    expect(await names('Kilo')).toEqual(['kilo', 'kilogram', 'kilometre', 'far_away', 'heavy'])
  })

  test('follows the number of followers up and down over octaves, whatever changes it', async () => {
    for (const username of ['tower_low', 'tower_high']) await server.command('user.create', { username, name: 'x' })
    const fans = Array.from({ length: 7 }, (_, number) => `fan_${number}`)
    await Promise.all(fans.map((username) => server.command('user.create', { username, name: 'x' })))
    const follow = (change: string, source: string, target: string) =>
      server.command(`relation.${change}`, { kind: 'follow', source, target })
    await follow('add', 'bob', 'tower_low')
    expect(await names('tower')).toEqual(['tower_low', 'tower_high'])
    for (const fan of fans) await follow('add', fan, 'tower_high')
    expect(await names('tower')).toEqual(['tower_high', 'tower_low'])
    for (const fan of fans.slice(1)) await follow('remove', fan, 'tower_high')
    // A block ends the last one.
    await server.command('relation.add', { kind: 'block', source: 'tower_high', target: fans[0] })
    expect(await names('tower')).toEqual(['tower_low', 'tower_high'])
    const terms = `select username, (regexp_match(terms::text, '~o(\\d+)'))[1]::int as octave
      from user_terms join user_account using (id) where username like 'tower%' order by 1`
    expect(await rows(server, terms)).toEqual([
      { username: 'tower_high', octave: 0 },
      { username: 'tower_low', octave: 1 },
    ])
  })

  test('treats underscores as part of usernames', async () => {
    await server.command('user.create', { username: '__under', name: 'Lines' })
    await server.command('user.create', { username: 'snake_case', name: 'Joined' })
    expect(await names('snake_c')).toEqual(['snake_case'])
    expect(await names('__')).toEqual(['__under'])
    expect(await names("'")).toEqual([])
  })

  test('follows changes of the profile, and leaves out suspended users', async () => {
    await server.command('user.create', { username: 'changing', name: 'First', description: 'zebra keeper' })
    expect(await names('zebra')).toEqual(['changing'])
    await server.command('user.update', { user: 'changing', description: 'okapi keeper', username: 'changed' })
    expect([await names('zebra'), await names('okapi')]).toEqual([[], ['changed']])
    await server.command('user.update', { user: 'changed', suspended: true })
    expect(await names('okapi')).toEqual([])
  })

  test('does not find the links of a bio', async () => {
    await server.command('user.create', { username: 'linked', description: 'see https://example.com/quagga now' })
    expect(await names('https')).toEqual([])
    expect(await names('see now')).toEqual(['linked'])
  })

  test('is paged with next_token without repeating or skipping anyone while users are added', async () => {
    for (let index = 0; index < 12; index++) await server.command('user.create', { username: `pager${index}` })
    await server.command('relation.add', { kind: 'follow', source: 'alice', target: 'pager7' })
    const first = await find('pager', '&max_results=5')
    expect(first.body.data[0].username).toBe('pager7')
    expect(first.body.meta).toEqual({ result_count: 5, next_token: expect.stringMatching(/^[0-9a-z]+$/) })
    await server.command('user.create', { username: 'pagernew' })
    const whole = await walk(server, '/2/users/search?query=pager&max_results=5', me, 'next_token')
    expect([whole.ids.length, new Set(whole.ids).size, whole.tokens.length]).toEqual([13, 13, 2])
    const second = await find('pager', `&max_results=20&next_token=${first.body.meta.next_token}`)
    const seen = [...first.body.data, ...second.body.data].map((item: { username: string }) => item.username)
    expect(seen.sort()).toEqual(Array.from({ length: 12 }, (_, index) => `pager${index}`).sort())
  })

  test('rejects invalid queries, sizes and tokens', async () => {
    for (const query of ['', 'a'.repeat(51), 'a-b', 'é', 'a:*']) expect((await find(query)).status, query).toBe(400)
    expect((await server.get('/2/users/search', me)).status).toBe(400)
    const pattern = await find('a-b')
    expect(pattern.body).toEqual(
      invalidRequest(server, {
        parameters: { query: ['a-b'] },
        message: "The `query` query parameter value [a-b] does not match ^[A-Za-z0-9_' ]{1,50}$",
      }),
    )
    const token = await find('a', '&next_token=abc')
    expect(token.body).toEqual(
      invalidRequest(server, {
        parameters: { next_token: ['abc'] },
        message: 'The `next_token` query parameter value [abc] is not valid',
      }),
    )
    expect((await find('a', '&max_results=0')).status).toBe(400)
    expect((await find('a', '&max_results=1001')).status).toBe(400)
    expect((await find('a', '&pagination_token=1')).status).toBe(400)
    expect((await server.get('/2/users/search?query=a', 'app')).status).toBe(403)
  })

  test('uses its index', async () => {
    const client = await server.runtime.database.pool.connect()
    try {
      await client.query('begin')
      await client.query('set local enable_seqscan = off')
      const plan = await client.query(`explain select id from user_account where search @@ '''kilo'':*'::tsquery`)
      expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('user_account_search')
      const belonging = await client.query(
        `explain select id from user_account where affiliation is not null and affiliation -> 'user_id' @> jsonb_build_array('5'::text)`,
      )
      expect(belonging.rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('user_account_affiliation')
      await client.query('rollback')
    } finally {
      client.release()
    }
  })
})

test('a search cursor is read back from its token, and another text is not', () => {
  for (const place of [
    { fit: 0, followers: 0, id: '0' },
    { fit: 2, followers: 2 ** 31 - 1, id: '9223372036854775807' },
    { fit: 1, followers: 12, id: '1985000000000000000' },
  ]) {
    const token = writeUserCursor(place)
    expect(readUserCursor(token)).toEqual(place)
    const other = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
    expect(readUserCursor(other)).toBeUndefined()
  }
  expect(readUserCursor('z'.repeat(21))).toBeUndefined()
  expect(readUserCursor(writeUserCursor({ fit: 3, followers: 0, id: '0' }))).toBeUndefined()
})

describe('affiliates', () => {
  test('are the users who belong to an organisation, newest account first', async () => {
    const [club, other] = [await newUser(server, 'the_club'), await newUser(server, 'another_club')]
    const members: string[] = []
    for (let index = 0; index < 4; index++) {
      const member = await newUser(server, `member_${index}`)
      const affiliation = { user_id: index === 0 ? ['the_club', 'another_club'] : [club.id] }
      await server.command('user.update', { user: member.id, affiliation })
      members.unshift(member.id)
    }
    const { ids, tokens } = await walk(server, `/2/users/${club.id}/affiliates?max_results=3`, 'app')
    expect(ids).toEqual(members)
    expect(tokens).toHaveLength(1)
    expect(tokens[0]).toMatch(/^[0-9]{1,19}$/)
    expect((await walk(server, `/2/users/${other.id}/affiliates`, me)).ids).toEqual([members[3]])

    await server.command('user.update', { user: members[0], suspended: true })
    await server.command('user.update', { user: members[1], affiliation: null })
    expect((await walk(server, `/2/users/${club.id}/affiliates`, me)).ids).toEqual(members.slice(2))
    expect(
      (await rows(server, 'select affiliation from user_account where id = $1', [members[1]]))[0].affiliation,
    ).toBe(null)
  })

  test('of an unknown user are only an error, and of a user without any an empty page', async () => {
    const nobody = await server.get('/2/users/77/affiliates')
    expect([nobody.status, nobody.body.errors[0].title]).toEqual([200, 'Not Found Error'])
    expect((await server.get(`/2/users/${server.userId('bob')}/affiliates`)).body).toEqual({
      meta: { result_count: 0 },
    })
  })
})
