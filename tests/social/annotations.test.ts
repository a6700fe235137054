import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dictionary } from '../../src/social/annotations/dictionary.ts'
import { DOMAINS_BY_ID } from '../../src/social/annotations/domains.data.ts'
import { findAnnotations } from '../../src/social/annotations/find-annotations.ts'
import { findEntities } from '../../src/social/text/find-entities.ts'
import { arrived } from '../streams/stream-lines.ts'
import { openStream } from '../support/read-stream.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { makePost, readPost } from './acting.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([], { events: true })
})
afterAll(() => server.close())

interface Shown {
  text: string
  entities?: {
    annotations?: { start: number; end: number; probability: number; type: string; normalized_text: string }[]
  }
  context_annotations?: { domain: { id: string; name: string }; entity: { id: string; name: string } }[]
}
const show = (id: string): Promise<Shown> => readPost(server, id, 'entities,context_annotations')
const write = async (text: string, by = 'alice', more: object = {}): Promise<[string, Shown]> => {
  const id = await makePost(server, by, { text, ...more })
  return [id, await show(id)]
}
const contexts = (post: Shown) =>
  (post.context_annotations ?? []).map(({ domain, entity }) => `${domain.name}: ${entity.name}`)
const search = async (query: string, kind = 'recent') => {
  const answer = await server.get(`/2/posts/search/${kind}?max_results=100&query=${encodeURIComponent(query)}`)
  expect(answer.status, answer.text).toBe(200)
  return ((answer.body.data ?? []) as { id: string }[]).map((item) => item.id)
}

describe('a post shows what it is about', () => {
  test('names in the text, by code points, with an inclusive end, and their contexts', async () => {
    const [, post] = await write('😀 <b> Taylor Swift sang in são paulo & Tokyo https://example.com/a')
    const marks = post.entities!.annotations!
    const characters = [...post.text]
    expect(marks.map(({ type, normalized_text }) => [type, normalized_text])).toEqual([
      ['Person', 'Taylor Swift'],
      ['Place', 'são paulo'],
      ['Place', 'Tokyo'],
    ])
    for (const { start, end, normalized_text, probability } of marks) {
      expect(characters.slice(start, end + 1).join('')).toBe(normalized_text)
      expect(probability).toBeGreaterThan(0.5)
      expect(probability).toBeLessThanOrEqual(1)
    }
    expect(contexts(post)).toEqual(
      expect.arrayContaining(['Person: Taylor Swift', 'Musician: Taylor Swift', 'Cities: São Paulo', 'Place: Tokyo']),
    )
  })

  test('hashtags and cashtags have a context, but are not names in the text', async () => {
    const [, post] = await write('Up again #Photography #newyork $AAPL')
    expect(post.entities!.annotations).toBeUndefined()
    expect(contexts(post)).toEqual(
      expect.arrayContaining(['Interests and Hobbies: Photography', 'Cities: New York', 'Brand: Apple']),
    )
  })

  test('nothing where nothing is known, and the members are absent', async () => {
    const [, post] = await write('an ordinary morning with nothing in it')
    expect(post.context_annotations).toBeUndefined()
    expect(post.entities).toBeUndefined()
  })

  test('a repost has the annotations of its original at its own positions', async () => {
    const [id] = await write('We watched Stranger Things tonight')
    const made = await server.post(`/2/users/${server.userId('bob')}/reposts`, { post_id: id }, { user: 'bob' })
    const repost = await show(made.body.data.id)
    const [mark] = repost.entities!.annotations!
    expect([...repost.text].slice(mark!.start, mark!.end + 1).join('')).toBe('Stranger Things')
    expect(contexts(repost)).toEqual(['TV Shows: Stranger Things'])
  })

  test('a page of all posts with annotations is at most a hundred', async () => {
    const answer = await server.get('/2/posts/search/all?query=x&max_results=101&post.fields=context_annotations')
    expect(answer.status).toBe(400)
  })
})

describe('context: and entity: find', () => {
  test('an entity in a domain, any entity of a domain, an entity in any domain, and a name', async () => {
    const [id, post] = await write('The Golden Gate Bridge in the fog')
    const { domain, entity } = post.context_annotations!.find((item) => item.domain.name === 'Points of Interest')!
    for (const query of [
      `context:${domain.id}.${entity.id}`,
      `context:${domain.id}.*`,
      `context:*.${entity.id}`,
      'entity:"golden gate bridge"',
    ])
      expect(await search(query), query).toEqual([id])
    expect(await search(`context:${domain.id}.${entity.id}`, 'all')).toEqual([id])
    expect(await search(`context:47.${entity.id}`)).toEqual([])
    expect(await search(`fog -context:${domain.id}.*`)).toEqual([])
    const counts = await server.get(`/2/posts/counts/recent?query=${encodeURIComponent(`context:${domain.id}.*`)}`)
    expect(counts.body.meta.total_post_count).toBe(1)
  })

  test('a name as it is written and as the dictionary writes it', async () => {
    const [id] = await write('POTUS was there: President Obama spoke')
    expect(await search('entity:"President Obama"')).toEqual([id])
    expect(await search('entity:"barack obama"')).toEqual([id])
    expect(await search('entity:"barack"')).toEqual([])
  })

  test('posts in a filtered stream', async () => {
    const added = await server.post(
      '/2/posts/search/stream/rules',
      {
        add: [
          { value: 'entity:"Eiffel Tower"', tag: 'name' },
          { value: 'context:158.*', tag: 'sights' },
        ],
      },
      'app',
    )
    expect(added.status, added.text).toBe(201)
    const stream = await openStream(server, '/2/posts/search/stream', 'app')
    await makePost(server, 'alice', { text: 'Nothing of interest' })
    const id = await makePost(server, 'bob', { text: 'At the Eiffel Tower now' })
    const [line] = await arrived([stream], 1)
    expect(line.data.id).toBe(id)
    expect(line.matching_rules.map((rule: { tag: string }) => rule.tag).sort()).toEqual(['name', 'sights'])
    stream.close()
  })
})

describe('the dictionary', () => {
  const namesIn = (text: string) => findAnnotations(text, findEntities(text)).names.map((item) => item.entity.name)

  test('has several thousand entities with different ids and known domains', () => {
    const { byId } = dictionary()
    expect(byId.size).toBeGreaterThan(5_000)
    for (const { id, domains } of byId.values()) {
      expect(id).toMatch(/^[1-9][0-9]{0,18}$/)
      for (const domain of domains) expect(DOMAINS_BY_ID.has(domain), domain).toBe(true)
    }
  })

  test.each([
    ['I ate an apple and a turkey sandwich', []],
    ['Apple pie again', []],
    ['A new phone from Apple', ['Apple']],
    ['Apple showed the iPhone', ['Apple', 'iPhone']],
    ['who are we? let us go', []],
    ['The WHO said so', []],
    ['it takes two to tango', []],
    ['We played It Takes Two', ['It Takes Two']],
    ['We love Paris. Hilton was full.', ['Paris', 'Hilton']],
    ['Paris Hilton was there', ['Paris Hilton']],
    ['St Louis and St. Louis', ['St. Louis', 'St. Louis']],
    ["H&M beside McDonald's", ['H&M', 'McDonald’s']],
    ['昨日は東京大学へ行った', ['University of Tokyo']],
    ['see https://example.com/Tokyo and @Tokyo', []],
  ])('%s', (text, expected) => {
    expect(namesIn(text)).toEqual(expected)
  })
})
