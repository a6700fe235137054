import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
const ids: Record<string, string> = {}
const post = async (key: string, by: string, text: string, more: object = {}) => {
  const made = await server.post('/2/posts', { text, ...more }, { user: by })
  expect(made.status, made.text).toBe(201)
  ids[key] = made.body.data.id
}
beforeAll(async () => {
  server = await startTestServer()
  await post('cat', 'alice', 'The quick brown Cat sleeps on the sofa #Pets')
  await post('dog', 'bob', 'A dog and a cat play outside #pets $ACME')
  await post('cafe', 'chika', 'Meet me at the Café Über tomorrow')
  await post('link', 'dario', 'Read this https://news.example.com/markets/today-story now')
  await post('ja', 'chika', '今日は東京で猫と遊びました')
  await post('emoji', 'bob', 'Good morning 🌞 world')
  await post('hidden', 'erin', 'A cat that only followers see')
  await post('reply', 'bob', '@alice what a lovely creature', { reply: { in_reply_to_post_id: ids.cat } })
  await post('quote', 'dario', 'Look at this animal', { quote_post_id: ids.cat })
  await post('place', 'alice', 'Sunny here', { geo: { place_id: 'a1f0c2d4e5b60002' } })
  await post('far', 'bob', 'Rain there', { geo: { place_id: 'a1f0c2d4e5b60010' } })
})
afterAll(() => server.close())

const keysOf = (body: { data?: { id: string }[] }) =>
  (body.data ?? []).flatMap((item) => Object.entries(ids).find(([, id]) => id === item.id)?.[0] ?? [])
const search = async (query: string, more = '') => {
  const answer = await server.get(`/2/posts/search/recent?max_results=100&query=${encodeURIComponent(query)}${more}`)
  expect(answer.status, answer.text).toBe(200)
  return keysOf(answer.body)
}

describe('recent search finds', () => {
  test.each([
    ['a keyword whatever its case', 'CAT', ['dog', 'cat']],
    ['nothing for a part of a word', 'ca', []],
    ['both words in any order', 'sleeps quick', ['cat']],
    ['one of two words', 'sofa OR outside', ['dog', 'cat']],
    ['AND before OR', 'sofa brown OR outside', ['dog', 'cat']],
    ['groups', '(sofa OR outside) cat -dog', ['cat']],
    ['a phrase in its order only', '"brown cat"', ['cat']],
    ['not a phrase in another order', '"cat brown"', []],
    ['letters without their accents', 'cafe uber', ['cafe']],
    ['letters with accents that the text does not have', 'Sófá', ['cat']],
    ['a hashtag whatever its case', '#pets', ['dog', 'cat']],
    ['a cashtag', '$acme', ['dog']],
    ['a mention', '@alice lovely', ['reply']],
    ['an author', 'from:bob cat', ['dog']],
    ['whom a post answers', 'to:alice', ['reply']],
    ['words of a link', 'url:"news.example.com"', ['link']],
    ['a word of a link as keyword', 'markets', ['link']],
    ['words written without blanks', '東京', ['ja']],
    ['an emoji', '🌞', ['emoji']],
    ['a negated word', 'cat -dog', ['cat']],
    ['posts with links', 'read has:links', ['link']],
    ['a language', '猫 lang:ja', ['ja']],
    ['answers', 'lovely is:reply', ['reply']],
    ['quotes', 'animal is:quote', ['quote']],
    ['verified authors', 'cat is:verified', ['cat']],
    ['a country', 'place_country:PT sunny', ['place']],
    ['a place by its full name', 'place:"Lisbon, Portugal" sunny', ['place']],
    ['a place by its name', 'place:Lisbon sunny', ['place']],
    ['a place by its name without accents', 'place:"sao paulo" rain', ['far']],
    ['a place by its id', 'place:a1f0c2d4e5b60010 rain', ['far']],
    ['no place of a name that is far too long', `place:${'x'.repeat(480)} rain`, []],
    ['nothing for a part of a place’s name', 'place:sao rain', []],
    ['what is not of a place', '(sunny here) OR (rain there) -place:lisbon', ['far', 'place']],
    ['a box around a place', 'sunny bounding_box:[-9.3 38.6 -9 38.9]', ['place']],
    ['a circle around a place', 'sunny point_radius:[-9.15 38.75 20mi]', ['place']],
  ])('%s', async (_words, query, expected) => {
    expect(await search(query)).toEqual(expected)
  })

  test('a conversation, replies and quotes of a post by id', async () => {
    expect(await search(`conversation_id:${ids.cat}`)).toEqual(['reply', 'cat'])
    expect(await search(`in_reply_to_post_id:${ids.cat}`)).toEqual(['reply'])
    expect(await search(`quotes_of_post_id:${ids.cat}`)).toEqual(['quote'])
  })

  test('posts with at least so many replies', async () => {
    expect(await search('cat min_replies:1')).toEqual(['cat'])
    expect(await search('cat min_replies:2')).toEqual([])
  })

  test('both spellings of operators', async () => {
    expect(await search(`in_reply_to_tweet_id:${ids.cat}`)).toEqual(['reply'])
    expect(await search('cat -is:retweet')).toEqual(['dog', 'cat'])
  })

  test('never a post of a protected account, not even for a follower', async () => {
    expect(await search('only followers see')).toEqual([])
  })

  test('only the newest version of an edited post', async () => {
    await post('draft', 'alice', 'Zebras are stripey')
    await post('final', 'alice', 'Zebras are striped', { edit_options: { previous_post_id: ids.draft } })
    expect(await search('zebras')).toEqual(['final'])
  })

  test('no deleted post', async () => {
    await post('gone', 'bob', 'An ephemeral walrus')
    expect(await search('walrus')).toEqual(['gone'])
    await server.delete(`/2/posts/${ids.gone}`, { user: 'bob' })
    expect(await search('walrus')).toEqual([])
  })
})

describe('recent search refuses', () => {
  test.each([
    ['an unknown operator', 'cat colour:red', "Reference to invalid operator 'colour'"],
    ['an operator of the stream', 'cat sample:10', "Reference to invalid operator 'sample'"],
    ['a standalone has:', 'has:links', 'has cannot be used as a standalone operator'],
    ['a branch that cannot stand', 'cat OR is:reply', 'is cannot be used as a standalone operator'],
    ['negated clauses only', '-cat', 'negated clauses only'],
    ['an open quotation mark', '"cat', 'A quotation mark is not closed (at position 1)'],
    ['an open parenthesis', 'cat (dog', 'A parenthesis is not closed (at position 5)'],
    ['a lower-case or', 'cat or dog', 'Ambiguous use of or as a keyword'],
    ['is:nullcast that is not negated', 'cat is:nullcast', 'is:nullcast can only be used negated (at position 5)'],
    ['a wrong value', 'cat lang:klingon', "The value 'klingon' of the operator 'lang'"],
    ['proximity', '"a cat"~3', 'Proximity can only be used in stream rules'],
  ])('%s', async (_words, query, reason) => {
    const answer = await server.get(`/2/posts/search/recent?query=${encodeURIComponent(query)}`)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].parameters.query).toEqual([query])
    expect(answer.body.errors[0].message).toContain('There were errors processing your request: ')
    expect(answer.body.errors[0].message).toContain(reason)
  })

  test('queries that are too long for the tier, and ids mixed with times', async () => {
    const long = `cat ${'a'.repeat(600)}`
    expect((await server.get(`/2/posts/search/recent?query=${long}`, 'second-app')).status).toBe(400)
    expect((await server.get(`/2/posts/search/recent?query=${long}`)).status).toBe(200)
    const mixed = await server.get(
      `/2/posts/search/recent?query=cat&since_id=${ids.cat}&start_time=2026-01-01T00:00:00Z`,
    )
    expect(mixed.status).toBe(400)
    for (const path of ['search/recent', 'counts/recent']) {
      const day = (ago: number) => `${new Date(Date.now() - ago * 24 * 3600_000).toISOString().slice(0, 19)}Z`
      const turned = await server.get(`/2/posts/${path}?query=cat&start_time=${day(1)}&end_time=${day(2)}`)
      expect(turned.status).toBe(400)
      expect(turned.body.errors[0].message).toContain("'start_time' must be before 'end_time'")
    }
    expect((await server.get('/2/posts/search/recent?query=cat&since_id=9999999999999999999')).status).toBe(200)
    const old = await server.get('/2/posts/search/recent?query=cat&start_time=2020-01-01T00:00:00Z')
    expect(old.body.errors[0].message).toContain("'start_time' must be on or after")
  })
})

test('pages of a search neither skip nor repeat while posts arrive', async () => {
  for (let index = 0; index < 25; index++) await post(`page${index}`, 'bob', `Lighthouse number ${index}`)
  const path = '/2/posts/search/recent?query=lighthouse&max_results=10'
  const first = await server.get(path)
  expect(first.body.meta).toMatchObject({ newest_id: ids.page24, oldest_id: ids.page15, result_count: 10 })
  await post('late', 'alice', 'A late lighthouse')
  const second = await server.get(`${path}&next_token=${first.body.meta.next_token}`)
  const third = await server.get(`${path}&pagination_token=${second.body.meta.next_token}`)
  const walked = [first, second, third].flatMap((answer) => keysOf(answer.body))
  expect(walked).toEqual(Array.from({ length: 25 }, (_, index) => `page${24 - index}`))
  expect(third.body.meta.next_token).toBeUndefined()
  expect(await search('lighthouse', `&since_id=${ids.page22}`)).toEqual(['late', 'page24', 'page23'])
  expect(await search('lighthouse', `&until_id=${ids.page2}`)).toEqual(['page1', 'page0'])
})

test('the ends of a page are those of what it shows', async () => {
  for (const index of [0, 1, 2]) await post(`zeppelin${index}`, 'alice', `Zeppelin ${index}`)
  for (const key of ['first', 'last']) await post(`blocked ${key}`, 'bob', `The ${key} zeppelin of somebody else`)
  await server.post(`/2/users/${server.userId('dario')}/likes`, { post_id: ids.zeppelin1 }, { user: 'dario' })
  const read = async (query: string, more = '') =>
    (await server.get(`/2/posts/search/recent?query=${encodeURIComponent(query)}${more}`, { user: 'chika' })).body
  await server.command('relation.add', { kind: 'block', source: 'bob', target: 'chika' })
  try {
    const ends = { newest_id: ids.zeppelin2, oldest_id: ids.zeppelin0, result_count: 3 }
    expect((await read('zeppelin')).meta).toEqual(ends)
    const byRelevance = await read('zeppelin', '&sort_order=relevancy')
    expect(byRelevance.data[0].id).toBe(ids.zeppelin1)
    expect(byRelevance.meta).toEqual(ends)
    expect(await read('zeppelin from:bob')).toEqual({ meta: { result_count: 0 } })
  } finally {
    await server.command('relation.remove', { kind: 'block', source: 'bob', target: 'chika' })
  }
})

test('search of all posts gives at most a hundred posts with annotations', async () => {
  const read = (more: string) => server.get(`/2/posts/search/all?query=cat${more}`)
  for (const fields of ['post.fields=id,context_annotations', 'tweet.fields=context_annotations']) {
    const refused = await read(`&max_results=101&${fields}`)
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toHaveLength(1)
    expect(refused.body.errors[0].parameters).toEqual({ max_results: ['101'] })
    expect((await read(`&max_results=100&${fields}`)).status).toBe(200)
  }
  expect((await read('&max_results=500&post.fields=id,created_at')).status).toBe(200)
})

test('search of all posts reaches what recent search does not', async () => {
  await post('old', 'bob', 'A paleolithic axe')
  await server.command('clock', { advance_ms: 8 * 24 * 3600_000 })
  try {
    expect(await search('paleolithic')).toEqual([])
    expect(keysOf((await server.get('/2/posts/search/all?query=paleolithic')).body)).toEqual(['old'])
  } finally {
    await server.command('clock', { reset: true })
  }
})

describe('counts', () => {
  test('have a slice for each hour of seven days, empty ones too, cut to the range', async () => {
    const answer = await server.get('/2/posts/counts/recent?query=cat')
    expect(answer.status, answer.text).toBe(200)
    const slices: { start: string; end: string; post_count: number }[] = answer.body.data
    expect(slices.length).toBeGreaterThanOrEqual(168)
    expect(slices.length).toBeLessThanOrEqual(170)
    for (const [index, slice] of slices.entries()) if (index > 0) expect(slice.start).toBe(slices[index - 1]!.end)
    expect(slices.reduce((sum, slice) => sum + slice.post_count, 0)).toBe(2)
    expect(answer.body.meta.total_post_count).toBe(2)
    expect(slices.at(-1)!.post_count).toBe(2)
  })

  test('come by day or minute, and in legacy words', async () => {
    const days = await server.get('/2/posts/counts/recent?query=cat&granularity=day')
    expect(days.body.data.length).toBe(8)
    const legacy = await server.get('/2/tweets/counts/recent?query=cat&granularity=day')
    expect(legacy.body.meta.total_tweet_count).toBe(2)
    expect(legacy.body.data.at(-1).tweet_count).toBe(2)
    expect((await server.get('/2/posts/counts/recent?query=cat&granularity=week')).status).toBe(400)
  })

  test('of all posts come in pages of 31 days', async () => {
    const path = `/2/posts/counts/all?query=cat&granularity=day&start_time=${new Date(Date.now() - 70 * 24 * 3600_000).toISOString().slice(0, 19)}Z`
    const first = await server.get(path)
    expect(first.body.meta.total_post_count).toBe(2)
    const second = await server.get(`${path}&next_token=${first.body.meta.next_token}`)
    expect(second.body.meta.total_post_count).toBe(0)
    const third = await server.get(`${path}&next_token=${second.body.meta.next_token}`)
    expect(third.body.meta.next_token).toBeUndefined()
    expect(third.body.data.at(-1).end).toBe(second.body.data[0].start)
    expect(second.body.data.at(-1).end).toBe(first.body.data[0].start)
  })

  /** The slices of a range, oldest first, and how many each page had, newest page first. */
  const walkCounts = async (more: string) => {
    const slices: { start: string; end: string }[] = []
    const sizes: number[] = []
    for (let token: string | undefined; sizes.length === 0 || token; ) {
      const answer = await server.get(`/2/posts/counts/all?query=cat&${more}${token ? `&next_token=${token}` : ''}`)
      expect(answer.status, answer.text).toBe(200)
      slices.unshift(...answer.body.data)
      sizes.push(answer.body.data.length)
      token = answer.body.meta.next_token
    }
    return { slices, sizes }
  }

  test.each([
    ['day', 86_400, 31],
    ['hour', 3600, 744],
    ['minute', 60, 44_640],
  ])('of all posts by the %s are cut only at the ends of the range', async (granularity, seconds, most) => {
    const [from, to] = ['2024-01-10T05:30:17Z', '2024-02-20T13:45:41Z']
    const { slices, sizes } = await walkCounts(`granularity=${granularity}&start_time=${from}&end_time=${to}`)
    expect(sizes).toEqual([most, slices.length - most])
    expect([slices[0]!.start, slices.at(-1)!.end]).toEqual([from, to].map((time) => time.replace('Z', '.000Z')))
    for (const [index, slice] of slices.entries()) {
      if (index === 0) continue
      expect(slice.start).toBe(slices[index - 1]!.end)
      if ((Date.parse(slice.start) / 1000) % seconds !== 0) throw new Error(`cut in two at ${slice.start}`)
    }
  })

  test('of times before there were ids come to an end', async () => {
    const { sizes } = await walkCounts('granularity=day&start_time=2010-08-01T00:00:00Z&end_time=2011-01-01T00:00:00Z')
    expect(sizes).toEqual([31, 31, 31, 31, 29])
  })

  test('of all posts reject the token of another list', async () => {
    const page = await server.get('/2/posts/search/recent?query=lighthouse&max_results=10')
    const answer = await server.get(`/2/posts/counts/all?query=cat&next_token=${page.body.meta.next_token}`)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].parameters).toEqual({ next_token: [page.body.meta.next_token] })
  })
})
