import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { makePost } from './acting.ts'

const WORLD = 1
const ITALY = 23424853
const TURIN = 725003
const JAPAN = 23424856
const OSAKA = 15015370
const PORTUGAL = 23424925
const HOUR_MS = 3600_000

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

interface Shown {
  trend_name: string
  post_count: number
}
const trends = async (woeid: number, more = ''): Promise<Shown[]> => {
  const answer = await server.get(`/2/trends/by/woeid/${woeid}${more}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data ?? []
}
const named = async (woeid: number) =>
  Object.fromEntries((await trends(woeid)).map((item) => [item.trend_name, item.post_count]))
const write = async (texts: [by: string, text: string][]) => {
  for (const [by, text] of texts) await makePost(server, by, { text })
}
const work = () => server.command('topics.work')

test('a place without trends has no data, and an unknown place is not found', async () => {
  const none = await server.get(`/2/trends/by/woeid/${JAPAN}`)
  expect([none.status, none.body]).toEqual([200, { meta: { result_count: 0 } }])
  const unknown = await server.get('/2/trends/by/woeid/2')
  expect(unknown.status).toBe(404)
  expect(unknown.body.detail).toBe('Could not find place with woeid: [2].')
})

describe('trends', () => {
  test('are hashtags, names, phrases and words of several authors, with the number of their posts', async () => {
    await write([
      ['alice', 'What a night #Finale2030 at the Velvet Lantern'],
      ['bob', 'Cannot believe it #finale2030, marvellous'],
      ['chika', 'Again #finale2030 with Lionel Messi, marvellous'],
      ['dario', 'Lionel Messi was there, simply marvellous'],
      ['bob', 'We went to the Velvet Lantern'],
      ['dario', 'Everybody loves the Velvet Lantern and Lionel Messi'],
      ['alice', 'alone alone #lonelytag'],
      ['alice', 'still alone #lonelytag again'],
      ['alice', 'always alone #lonelytag forever'],
      ['erin', 'protected people do not count #finale2030'],
    ])
    await work()
    const world = await named(WORLD)
    expect(world).toMatchObject({ '#Finale2030': 3, 'Lionel Messi': 3, 'Velvet Lantern': 3, marvellous: 3 })
    expect(Object.keys(world)).not.toContain('#lonelytag')
  })

  test('belong to the places of their authors: world, country and city', async () => {
    for (const [user, location] of [
      ['alice', 'Osaka, Japan'],
      ['bob', '大阪'],
      ['chika', 'osaka'],
    ] as const) {
      await server.command('user.update', { user, location })
      await makePost(server, user, { text: `Fireworks over the river tonight #naniwafireworks ${user}` })
    }
    await work()
    for (const woeid of [WORLD, JAPAN, OSAKA]) expect(await named(woeid)).toHaveProperty('#naniwafireworks', 3)
    for (const woeid of [ITALY, TURIN, PORTUGAL]) expect(await named(woeid)).not.toHaveProperty('#naniwafireworks')
  })

  test('come in the number that is asked for', async () => {
    expect(await trends(WORLD, '?max_trends=2&trend.fields=trend_name')).toHaveLength(2)
    for (const wrong of ['max_trends=0', 'max_trends=51', 'trend.fields=score'])
      expect((await server.get(`/2/trends/by/woeid/1?${wrong}`)).status, wrong).toBe(400)
    expect((await server.get('/2/trends/by/woeid/rome')).status).toBe(400)
  })

  test('rise against their own past: what is as frequent as always is not one, and trends end', async () => {
    for (let round = 0; round < 4; round++) {
      for (const by of ['alice', 'bob', 'chika', 'dario'])
        await makePost(server, by, { text: `Round ${round} of our #dailyhabit with tea` })
      await server.command('clock', { advance_ms: 24 * HOUR_MS })
    }
    await write([
      ['alice', 'today #dailyhabit once more'],
      ['bob', 'today #dailyhabit once again'],
      ['chika', 'today #dailyhabit as ever'],
      ['dario', 'today #dailyhabit and #brandnewthing'],
      ['alice', 'look at #brandnewthing'],
      ['bob', 'the #brandnewthing is here'],
    ])
    await work()
    const world = await named(WORLD)
    expect(world).toHaveProperty('#brandnewthing', 3)
    expect(Object.keys(world)).not.toContain('#Finale2030')
    expect(Object.keys(world).indexOf('#brandnewthing')).toBe(0)
    await server.command('clock', { advance_ms: 48 * HOUR_MS })
    await work()
    expect(await trends(WORLD)).toEqual([])
  })

  test('count a post once, however often the work runs', async () => {
    await write([
      ['alice', 'see #countedonce'],
      ['bob', 'saw #countedonce'],
      ['chika', 'seen #countedonce'],
    ])
    await Promise.all([work(), work()])
    await work()
    expect(await named(WORLD)).toHaveProperty('#countedonce', 3)
  })

  test('have a count with the legacy name in the legacy naming', async () => {
    const answer = await server.get('/2/trends/by/woeid/1?trend.fields=trend_name,tweet_count')
    expect(answer.body.data[0]).toHaveProperty('tweet_count')
  })
})

describe('personalized trends', () => {
  const personal = (user: string, more = '') => server.get(`/2/users/personalized_trends${more}`, { user })

  test('need a paid subscription', async () => {
    expect((await personal('bob')).status).toBe(403)
  })

  test('have what the user and the followed users talk about first, with category and time', async () => {
    await write([
      ['bob', 'Everybody to the Eurovision Song Contest'],
      ['dario', 'The Eurovision Song Contest tonight'],
      ['alice', 'Songs of the Eurovision Song Contest'],
      ['alice', 'More of the Eurovision Song Contest'],
      ['bob', 'one #otherthing'],
      ['dario', 'two #otherthing'],
      ['chika', 'three #otherthing'],
    ])
    await work()
    const answer = await personal('alice')
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.data[0]).toEqual({
      category: 'Entertainment',
      post_count: 4,
      trend_name: 'Eurovision Song Contest',
      trending_since: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const few = await personal('alice', '?personalized_trend.fields=trend_name,post_count')
    expect(Object.keys(few.body.data[0]).sort()).toEqual(['post_count', 'trend_name'])
  })
})
