import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer(['--private-webhooks', 'on'], { events: true })
})
afterAll(() => server.close())

/** Lives a life to its end. */
async function live(args: Record<string, unknown>) {
  const { id } = await server.command('live.start', { speed: 'max', ...args })
  for (;;) {
    const life = await server.command('live.show', { id })
    if (['ended', 'stopped', 'failed'].includes(life.state)) return life
    await sleep(20)
  }
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0)

test('personas look, act by real operations, and the clock follows', async () => {
  const before = Date.parse('2030-01-07T19:00:00Z')
  await server.command('clock', { set: '2030-01-07T19:00:00Z' })
  const life = await live({ personas: 400, for: '1h', seed: 7 })
  expect(life.reason).toBeUndefined()
  expect(life).toMatchObject({ state: 'ended', personas: 400, ticks: 60 })
  expect(life.looks).toBeGreaterThan(200)
  expect(life.views).toBeGreaterThan(10)
  expect(life.actions.post).toBeGreaterThan(0)
  expect(sum(life.actions)).toBeGreaterThan(life.actions.post)
  expect(sum(life.refused)).toBeLessThan(sum(life.actions) / 4)
  const clock = await server.command('clock', {})
  expect(clock.frozen).toBe(false)
  expect(new Date(clock.now).getTime()).toBeGreaterThanOrEqual(before + 3600_000)
  const found = await server.get('/2/users/search?query=live7_0', { user: 'alice' })
  expect(found.body.data[0].username).toBe('live7_0')
})

test('what personas see are views of posts', async () => {
  const { decisions } = await server.command('live.export', {})
  const posts = decisions.flatMap((decision: { actions: { kind: string; text?: string }[] }) =>
    decision.actions.filter((action) => action.kind === 'post'),
  )
  expect(posts.length).toBeGreaterThan(0)
  const found = await server.runtime.database.query<{ views: string }>({
    text: 'select sum(impressions) as views from post_hour h join post p on p.id = h.post_id join persona o on o.user_id = p.author_id',
  })
  expect(Number(found.rows[0]!.views)).toBeGreaterThan(0)
})

test('a behaviour of a file decides, and remembers', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rostra-behaviour-'))
  const file = path.join(folder, 'shouter.mjs')
  writeFileSync(
    file,
    `export function decide(persona, timeline, { draw }) {
       const count = (persona.memory.count ?? 0) + 1
       persona.memory.count = count
       const fresh = timeline.find((post) => post.is_new && post.author_id !== persona.id)
       if (fresh && draw < 0.5) return [{ kind: 'like', post_id: fresh.id }]
       return count === 1 ? [{ kind: 'post', text: 'I am ' + persona.username }] : []
     }`,
  )
  const life = await live({ personas: 60, seed: 8, for: '30m', behaviour: file })
  expect(life.reason).toBeUndefined()
  expect(Object.keys(life.actions).sort()).toEqual(['like', 'post'])
  const { decisions } = await server.command('live.export', { id: life.id })
  const first = decisions.find((item: { actions: { kind: string }[] }) => item.actions[0]!.kind === 'post')
  expect(first.actions[0].text).toBe(`I am live8_${first.persona.toString(36)}`)
  writeFileSync(file, `export const decide = () => [{ kind: 'dance' }]`)
  const failed = await live({ personas: 60, seed: 8, for: '30m', behaviour: file })
  expect(failed.state).toBe('failed')
  expect(failed.reason).toMatch(
    /^The behaviour decided wrongly for @live8_\w+: kind \[dance\] is not one of post, reply/,
  )
  rmSync(folder, { recursive: true })
})

interface Look {
  persona: { username: string }
  tick: number
}

/** Lives with an agent that answers each call as told. */
async function liveWithAgent(args: Record<string, unknown>, answer: (looks: Look[]) => string) {
  const agent = http.createServer((request, response) => {
    let text = ''
    request.on('data', (part) => {
      text += part
    })
    request.on('end', () => response.end(answer(JSON.parse(text).looks)))
  })
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', () => resolve()))
  const { port } = agent.address() as { port: number }
  const life = await live({ seed: 8, ...args, agent: `http://127.0.0.1:${port}/decide` })
  agent.close()
  return life
}

test('an agent at an address decides', async () => {
  const life = await liveWithAgent({ personas: 40, for: '20m' }, (looks) =>
    JSON.stringify({
      // Half a character becomes one that says so, as in the JSON of any request.
      decisions: looks.map(({ persona, tick }) => ({
        actions: [{ kind: 'post', text: `${persona.username} at ${tick} \ud800` }],
        memory: { half: '\udc00' },
      })),
    }),
  )
  expect(life.reason).toBeUndefined()
  expect(life.actions).toEqual({ post: life.looks })
  const { decisions } = await server.command('live.export', { id: life.id })
  expect(decisions[0].actions[0].text).toMatch(/ \ufffd$/)
})

test('an agent that answers what cannot be stored ends the life with a sentence', async () => {
  const each = (decision: string) => (looks: Look[]) => `{"decisions": [${looks.map(() => decision)}]}`
  const deep = `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`
  const cases: [answer: (looks: Look[]) => string, says: string][] = [
    [each(`{"actions":[{"kind":"post","text":"a\\u0000"}]}`), 'text of post cannot contain the character U+0000.'],
    [each(`{"actions":[],"memory":{"a":"\\u0000"}}`), 'memory cannot contain the character U+0000.'],
    [
      each(`{"actions":[{"kind":"expand","post_id":"${'9'.repeat(20)}"}]}`),
      'post_id of expand must be the id of a post.',
    ],
    [
      ([, ...others]) =>
        `{"decisions": [{"actions":[],"memory":${deep}}${others.map(() => ',{"actions":[]}').join('')}]}`,
      'memory must be JSON.',
    ],
  ]
  for (const [answer, says] of cases) {
    const life = await liveWithAgent({ personas: 40, for: '20m' }, answer)
    expect(life.state).toBe('failed')
    expect(life.reason).toMatch(/^The behaviour decided wrongly for @live8_\w+: /)
    expect(life.reason).toContain(says)
  }
})

test('what cannot be lived is refused', async () => {
  const refused = async (args: object) => (await server.tryCommand('live.start', args)).body
  expect((await refused({ for: 'long' })).errors[0].message).toContain('is not a duration from one minute to a year')
  expect((await refused({ behaviour: 'here.js' })).errors[0].message).toContain('is not the absolute path')
  expect((await refused({ agent: 'ftp://x' })).errors[0].message).toContain('[https://]')
  const secret = (await refused({ agent: 'http://user:word@127.0.0.1/' })).errors[0].message
  expect(secret).toBe('agent cannot have a user name, a password or a fragment')
  const begun = await server.command('live.start', { personas: 60, seed: 8, for: '1d', speed: 60 })
  expect((await server.tryCommand('live.start', {})).status).toBe(409)
  const stopped = await server.command('live.stop')
  expect(stopped).toMatchObject({ id: begun.id, state: 'stopped' })
  expect((await server.command('clock', {})).frozen).toBe(false)
})

test('the last life is the one that was begun last, also after the clock was set back', async () => {
  await server.command('clock', { set: '2027-01-07T19:00:00Z' })
  const life = await live({ personas: 2, seed: 8, for: '1m' })
  expect(life.started_at).toMatch(/^2027-01-07T19:/)
  expect(await server.command('live.show', {})).toEqual(life)
  expect((await server.command('live.export', {})).id).toBe(life.id)
})
