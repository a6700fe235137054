import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
const names = new Map<string, string>()
beforeAll(async () => {
  server = await startTestServer()
  await server.command('user.update', { user: 'dario', subscription_type: 'Premium' })
})
afterAll(() => server.close())

async function write(name: string, user: string, text: string): Promise<string> {
  const id = await makePost(server, user, { text })
  names.set(id, name)
  return id
}

async function repost(name: string, user: string, id: string): Promise<void> {
  const done = await server.post(`/2/users/${server.userId(user)}/reposts`, { post_id: id }, { user })
  expect(done.status, done.text).toBe(200)
  const { rows } = await server.runtime.database.pool.query(
    'select id from post where reposted_post_id = $1 and author_id = $2',
    [id, server.userId(user)],
  )
  names.set(String(rows[0].id), name)
}

const path = (query: string, kind = 'search') => `/2/posts/${kind}/recent?query=${encodeURIComponent(query)}`

async function search(query: string): Promise<(string | undefined)[]> {
  const answer = await server.get(`${path(query)}&max_results=100`)
  expect(answer.status, answer.text).toBe(200)
  return (answer.body.data ?? []).map((item: { id: string }) => names.get(item.id)).sort()
}

async function count(query: string): Promise<number> {
  const answer = await server.get(path(query, 'counts'))
  expect(answer.status, answer.text).toBe(200)
  return answer.body.meta.total_post_count
}

async function refusal(query: string, kind = 'search'): Promise<string> {
  const answer = await server.get(path(query, kind))
  expect(answer.status, answer.text).toBe(400)
  return answer.body.errors[0].message
}

describe('a word that is longer than the index accepts', () => {
  test.each([
    ['letters', 'w'.repeat(2_047)],
    ['a hashtag', `#${'t'.repeat(2_047)}`],
    ['a mention', `@${'m'.repeat(2_047)}`],
    ['a cashtag', `$${'c'.repeat(2_047)}`],
    ['a link', `url:${'u'.repeat(2_047)}`],
    ['a place', `place:${'p'.repeat(2_047)}`],
    ['characters of four bytes', '𠮷'.repeat(512)],
    ['letters of four bytes', '𐐨'.repeat(512)],
  ])('finds nothing and is not an error: %s', async (_kind, query) => {
    expect(await search(query)).toEqual([])
    expect(await count(query)).toBe(0)
  })

  test('is found in the post that contains it, as a word and as a hashtag', async () => {
    const [word, letters, tag] = ['v'.repeat(2_500), '𐐨'.repeat(600), `long${'h'.repeat(2_500)}`]
    await write('long', 'dario', `See ${word} and ${letters} #${tag}`)
    for (const query of [word, letters, `#${tag}`]) expect(await search(query)).toEqual(['long'])
  })
})

describe('reposts', () => {
  beforeAll(async () => {
    const zebra = await write('zebra', 'alice', 'A zebra crosses the road')
    const heron = await write('heron', 'chika', 'A heron stands in the water')
    await write('otter', 'bob', 'An otter swims')
    await repost('zebra again', 'bob', zebra)
    await repost('heron again', 'dario', heron)
  })

  test.each([
    ['are left out where keywords alone are asked for', 'zebra', ['zebra']],
    ['are found where they are asked for', 'zebra is:repost', ['zebra again']],
    ['of one side of an OR stay with that side', 'zebra OR reposts_of:chika', ['heron again', 'zebra']],
    ['of one side of a group stay with that side', 'water (is:repost OR stands)', ['heron', 'heron again']],
    ['are found by what both sides ask for', '(zebra OR heron) is:repost', ['heron again', 'zebra again']],
    [
      'of two groups are asked for by either',
      '(is:repost OR otter) (zebra OR reposts_of:chika)',
      ['heron again', 'zebra again'],
    ],
    ['are not asked for by a negated clause', 'otter OR (zebra -is:repost)', ['otter', 'zebra']],
    ['are asked for by one that is negated twice', 'otter OR (zebra -(road -is:repost))', ['otter', 'zebra again']],
  ])('%s', async (_sentence, query, expected) => {
    expect(await search(query)).toEqual(expected)
    expect(await count(query)).toBe(expected.length)
  })
})

test('a post is found by the short form of its link, and so is its repost', async () => {
  const id = await write('linked', 'alice', 'Look here https://long.example.org/a-page')
  const post = await server.get(`/2/posts/${id}?post.fields=entities`)
  const short = post.body.data.entities.urls[0].url as string
  expect(await search(`url:"${short}"`)).toEqual(['linked'])
  expect(await search(`url:${short.split('/').at(-1)}`)).toEqual(['linked'])
  expect(await search('url:"https://long.example.org/a-page"')).toEqual(['linked'])
  await repost('linked again', 'bob', id)
  expect(await search(`url:"${short}" is:repost`)).toEqual(['linked again'])
})

test('a minus sign with a space after it is rejected with its position', async () => {
  for (const query of ['cat - dog', 'cat -\tdog', 'cat -'])
    expect(await refusal(query)).toContain('A minus sign needs a clause right after it (at position 5)')
  const rule = await server.post('/2/posts/search/stream/rules', { add: [{ value: 'cat - dog' }] })
  expect(rule.body.errors[0].details).toEqual(['A minus sign needs a clause right after it (at position 5)'])
})

describe('an area is refused', () => {
  const places = 'must have longitudes from -180 to 180 and latitudes from -90 to 90, the longitude first'
  test.each([
    ['when a longitude is none', 'point_radius:[181 10 5mi]', places],
    ['when longitude and latitude are turned round', 'point_radius:[38.7 -139.1 5mi]', places],
    ['when its radius is nothing', 'point_radius:[10 10 0km]', 'must have a radius above 0 and up to 25mi'],
    ['when its radius is negative', 'point_radius:[10 10 -5km]', 'must have a radius above 0 and up to 25mi'],
    ['when its radius is too large', 'point_radius:[10 10 25.1mi]', 'must have a radius above 0 and up to 25mi'],
    ['when its radius is too large in kilometres', 'point_radius:[10 10 41km]', 'must have a radius above 0'],
    ['when a side of a box is not a latitude', 'bounding_box:[10 89.9 10.1 90.1]', places],
    ['when west and east are turned round', 'bounding_box:[10.1 10 10 10.1]', 'must be west, south, east and north'],
    ['when south and north are turned round', 'bounding_box:[10 10.1 10.1 10]', 'must be west, south, east and north'],
    ['when a box is too wide', 'bounding_box:[10 10 10.4 10.1]', 'must have sides of up to 25mi'],
    ['when a box is too high', 'bounding_box:[10 10 10.1 10.4]', 'must have sides of up to 25mi'],
  ])('%s', async (_sentence, clause, reason) => {
    for (const kind of ['search', 'counts']) {
      const message = await refusal(`sunny ${clause}`, kind)
      expect(message).toContain(`${reason}`)
      expect(message).toContain('(at position 7)')
    }
  })

  test('and accepted up to the bounds', async () => {
    for (const clause of [
      'point_radius:[-180 90 25mi]',
      'point_radius:[10 10 40km]',
      'bounding_box:[10 60 10.7 60.3]',
      'bounding_box:[179.7 -0.1 180 0.2]',
    ])
      expect(await search(`sunny ${clause}`)).toEqual([])
  })
})
