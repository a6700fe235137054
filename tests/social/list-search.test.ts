import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStream } from '../support/read-stream.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { makePost, rows } from './acting.ts'
import { type Member, makeCrowd } from './crowd.ts'

const RULES = '/2/posts/search/stream/rules'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([], { events: true })
})
afterAll(() => server.close())

async function listOf(owner: Member, members: readonly Member[], body: object = {}): Promise<string> {
  const { id } = (await server.post('/2/lists', { name: 'Writers', ...body }, owner.as)).body.data
  for (const member of members) await server.post(`/2/lists/${id}/members`, { user_id: member.id }, owner.as)
  return id
}
const write = (who: Member, text: string) => makePost(server, who.as, { text })

async function search(query: string, as: As = 'app', path = 'recent'): Promise<string[]> {
  const answer = await server.get(`/2/posts/search/${path}?query=${encodeURIComponent(query)}&max_results=100`, as)
  if (answer.status !== 200) throw new Error(answer.text)
  return (answer.body.data ?? []).map((post: { id: string }) => post.id)
}
async function count(query: string): Promise<number> {
  const answer = await server.get(`/2/posts/counts/recent?query=${encodeURIComponent(query)}`)
  return answer.body.meta.total_post_count
}

test('search and counts find the posts of members, with other conditions, negated, and in either branch', async () => {
  const [owner, one, other, stranger] = (await makeCrowd(server, 4)) as [Member, Member, Member, Member]
  const [list, second] = [await listOf(owner, [one, other]), await listOf(owner, [stranger])]
  const ids: string[] = []
  for (const [who, text] of [
    [one, 'A quokka in the morning'],
    [stranger, 'A quokka at noon'],
    [other, 'A quokka in the evening #tide'],
    [one, 'Nothing to see'],
  ] as const)
    ids.push(await write(who, text))
  const [morning, noon, evening, nothing] = ids as [string, string, string, string]
  const expected: [string, string[]][] = [
    [`list:${list}`, [nothing, evening, morning]],
    [`list:${list} quokka`, [evening, morning]],
    [`list:${list} #tide`, [evening]],
    [`quokka -list:${list}`, [noon]],
    [`list:${list} -quokka`, [nothing]],
    [`(list:${list} OR list:${second}) quokka`, [evening, noon, morning]],
    [`quokka (list:${second} OR morning)`, [noon, morning]],
    [`list:${list} list:${second}`, []],
    [`list:${list} from:${one.username}`, [nothing, morning]],
    [`list:${list} -from:${one.username}`, [evening]],
    [`list:${list} conversation_id:${evening}`, [evening]],
    ['list:12', []],
    ['quokka -list:12', [evening, noon, morning]],
    ['list:9999999999999999999', []],
  ]
  for (const [query, found] of expected) {
    expect([query, await search(query)]).toEqual([query, found])
    expect([query, await search(query, 'app', 'all')]).toEqual([query, found])
    expect([query, await count(query)]).toEqual([query, found.length])
  }
  await server.delete(`/2/lists/${list}/members/${other.id}`, owner.as)
  expect(await search(`list:${list} quokka`)).toEqual([morning])
  await server.delete(`/2/lists/${list}`, owner.as)
  expect(await search(`list:${list} quokka`)).toEqual([])
})

test('members who wrote much are searched by terms with the same result', async () => {
  const [owner, one, stranger] = (await makeCrowd(server, 3)) as [Member, Member, Member]
  const list = await listOf(owner, [one])
  const id = await write(one, 'A glacier')
  await write(stranger, 'Another glacier')
  await rows(server, 'update user_metrics set post_count = 30000 where user_id = $1', [one.id])
  expect(await search(`list:${list} glacier`)).toEqual([id])
  expect(await count(`list:${list} glacier`)).toBe(1)
})

test('pages of a search in a list have each match once', async () => {
  const crowd = await makeCrowd(server, 4)
  const list = await listOf(crowd[0]!, crowd)
  const ids: string[] = []
  for (let at = 0; at < 24; at++) ids.unshift(await write(crowd[at % 5 === 0 ? at % 4 : 1]!, `Dune number ${at}`))
  for (const query of [`list:${list}`, `list:${list} dune`]) {
    const found: string[] = []
    for (let token: string | undefined = ''; token !== undefined; ) {
      const page = await server.get(
        `/2/posts/search/recent?query=${encodeURIComponent(query)}&max_results=10${token && `&next_token=${token}`}`,
      )
      found.push(...page.body.data.map((post: { id: string }) => post.id))
      token = page.body.meta.next_token
    }
    expect(found).toEqual(ids)
  }
})

test('a private list works in a search of its owner only, and lists of hidden owners for nobody', async () => {
  const [owner, one, other] = (await makeCrowd(server, 3)) as [Member, Member, Member]
  const list = await listOf(owner, [one], { private: true })
  const id = await write(one, 'A meadow')
  expect(await search(`list:${list}`, owner.as)).toEqual([id])
  for (const as of [other.as, one.as, 'app'] as As[]) {
    expect(await search(`list:${list}`, as)).toEqual([])
    expect(await search(`meadow -list:${list}`, as)).toEqual([id])
  }
  expect(await count(`list:${list}`)).toBe(0)
  await server.put(`/2/lists/${list}`, { private: false }, owner.as)
  expect(await search(`list:${list}`, other.as)).toEqual([id])
  await server.command('relation.add', { kind: 'block', source: owner.id, target: other.id })
  expect(await search(`list:${list}`, other.as)).toEqual([])
  await server.command('user.update', { user: owner.id, suspended: true })
  expect(await search(`list:${list}`)).toEqual([])
})

test('a rule with a list delivers the posts of its members as they are when a post is written', async () => {
  const [owner, one, other] = (await makeCrowd(server, 3)) as [Member, Member, Member]
  const [list, secret] = [await listOf(owner, [one]), await listOf(owner, [other], { private: true })]
  const added = await server.post(RULES, {
    add: [
      { value: `list:${list} -quiet`, tag: 'open' },
      { value: `list:${secret}`, tag: 'secret' },
    ],
  })
  expect(added.status, added.text).toBe(201)
  const stream = await openStream(server, '/2/posts/search/stream', 'app')
  const member = (user: Member) => `/2/lists/${list}/members/${user.id}`
  const seen: [string, string[]][] = []
  // Nothing waits for the stream in between: it may match a post long after it was written.
  await write(other, 'Rain before')
  seen.push([await write(one, 'Rain one'), ['open']])
  await write(one, 'Rain quiet')
  await server.post(`/2/lists/${list}/members`, { user_id: other.id }, owner.as)
  seen.push([await write(other, 'Rain two'), ['open']])
  await server.delete(member(one), owner.as)
  await write(one, 'Rain three')
  await server.put(`/2/lists/${secret}`, { private: false }, owner.as)
  seen.push([await write(other, 'Rain four'), ['open', 'secret']])
  await server.put(`/2/lists/${secret}`, { private: true }, owner.as)
  seen.push([await write(other, 'Rain five'), ['open']])
  await server.command('relation.add', { kind: 'block', source: other.id, target: owner.id })
  await write(other, 'Rain six')
  await server.post(`/2/lists/${list}/members`, { user_id: one.id }, owner.as)
  seen.push([await write(one, 'Rain seven'), ['open']])
  await server.delete(`/2/lists/${list}`, owner.as)
  await write(one, 'Rain eight')
  await server.post(RULES, { add: [{ value: 'flood', tag: 'end' }] })
  seen.push([await write(one, 'A flood'), ['end']])
  const got: [string, string[]][] = []
  for (const _one of seen) {
    const line = await stream.next()
    got.push([line.data.id, line.matching_rules.map((rule: { tag: string }) => rule.tag)])
  }
  stream.close()
  expect(got).toEqual(seen)
})
