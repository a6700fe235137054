import { renameSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import {
  type ChildServer,
  removeFolder,
  rostraJson,
  startChildServer,
  temporaryFolder,
} from '../support/child-server.ts'
import { postmasterOf, processesBelow } from '../support/processes.ts'
import { sampleOf } from '../support/sampling.ts'
import { sign } from '../support/sign.ts'

let folder: string
let server: ChildServer
const start = () => startChildServer({ dataDir: `${folder}/data`, flags: ['--workers', '2', '--rate-limits', 'off'] })

// One installation for all: each test leaves it running and whole.
beforeAll(async () => {
  folder = temporaryFolder()
  server = await start()
})
afterAll(async () => {
  await server.stop()
  removeFolder(folder)
})

/** The processes of an installation with their command names, including a database of an earlier run; Linux only. */
function processesOf(target: ChildServer): { pid: number; name: string }[] {
  const postmaster = postmasterOf(target)
  const members = [
    { pid: target.pid, name: 'supervisor' },
    ...processesBelow(target.pid),
    { pid: postmaster, name: 'postgres' },
    ...processesBelow(postmaster),
  ]
  return [...new Map(members.map((item) => [item.pid, item])).values()]
}

function keysOf({ credentials: { apps, users } }: ChildServer, user: number) {
  return {
    consumerKey: apps[0]!.api_key,
    consumerSecret: apps[0]!.api_key_secret,
    token: users[user]!.access_token,
    tokenSecret: users[user]!.access_token_secret,
  }
}

interface Answered {
  status: number
  id: string | undefined
}

const post = (target: ChildServer, text: string): Promise<Answered> =>
  send(target, '/2/posts', { text }, Math.floor(Math.random() * 4))

/** A message of the first user to the second. */
const message = (target: ChildServer, text: string): Promise<Answered> =>
  send(target, `/2/dm_conversations/with/${target.credentials.users[1]!.id}/messages`, { text }, 0)

/** Sends a request of one of the first users. */
function send(target: ChildServer, path: string, json: object, by: number): Promise<Answered> {
  const url = target.credentials.base_url + path
  const keys = keysOf(target, by)
  const body = JSON.stringify(json)
  return new Promise((resolve, reject) => {
    const request = http.request(
      url,
      {
        method: 'POST',
        agent: false,
        headers: { authorization: sign('POST', url, keys), 'content-type': 'application/json' },
      },
      (answer) => {
        let read = ''
        answer.on('data', (chunk) => {
          read += chunk
        })
        answer.on('end', () => {
          const { data } = JSON.parse(read)
          resolve({ status: answer.statusCode ?? 0, id: data?.id ?? data?.dm_event_id })
        })
        answer.on('error', reject)
      },
    )
    // A killed supervisor may leave connections that no worker has accepted yet.
    request.setTimeout(3_000, () => request.destroy(new Error('no answer')))
    request.on('error', reject)
    request.end(body)
  })
}

/** Eight writers of posts and messages until stopped, and one who makes lists with a member; keeps what was acknowledged. */
function startWriters(target: ChildServer, name: string) {
  const acknowledged: string[] = []
  const lists: string[] = []
  const messages: string[] = []
  let stopped = false
  let count = 0
  const write = async () => {
    while (!stopped) {
      count += 1
      const isMessage = count % 4 === 0
      const answer = await (isMessage ? message : post)(target, `${name} ${count}`).catch(() => undefined)
      if (answer?.status === 201 && answer.id) (isMessage ? messages : acknowledged).push(answer.id)
    }
  }
  const list = async () => {
    while (!stopped && lists.length < 200) {
      const made = await send(target, '/2/lists', { name: 'Kept' }, 0).catch(() => undefined)
      if (made?.status !== 200 || !made.id) continue
      const member = { user_id: target.credentials.users[1]!.id }
      const added = await send(target, `/2/lists/${made.id}/members`, member, 0).catch(() => undefined)
      if (added?.status === 200) lists.push(made.id)
    }
  }
  const all = Promise.all([...Array.from({ length: 8 }, write), list()])
  return {
    acknowledged,
    lists,
    messages,
    stop: async () => {
      stopped = true
      await all
    },
  }
}

async function missing(target: ChildServer, ids: string[]): Promise<string[]> {
  const lost: string[] = []
  for (let start = 0; start < ids.length; start += 100) {
    const part = ids.slice(start, start + 100)
    const answer = await fetch(`${target.credentials.base_url}/2/posts?ids=${part.join()}`, {
      headers: { authorization: `Bearer ${target.credentials.apps[0]!.bearer_token}` },
    })
    const found = new Set(((await answer.json()) as { data?: { id: string }[] }).data?.map((item) => item.id))
    lost.push(...part.filter((id) => !found.has(id)))
  }
  return lost
}

/** The lists of the first user without a member, by id; all those of the installation are read. */
async function listsWithoutMember(target: ChildServer, ids: string[]): Promise<string[]> {
  const { base_url, apps, users } = target.credentials
  const kept = new Set<string>()
  for (let token: string | undefined = ''; token !== undefined; ) {
    const answer = await fetch(`${base_url}/2/users/${users[0]!.id}/owned_lists?list.fields=member_count${token}`, {
      headers: { authorization: `Bearer ${apps[0]!.bearer_token}` },
    })
    const page = (await answer.json()) as {
      data?: { id: string; member_count: number }[]
      meta: { next_token?: string }
    }
    for (const list of page.data ?? []) if (list.member_count === 1) kept.add(list.id)
    token = page.meta.next_token && `&pagination_token=${page.meta.next_token}`
  }
  return ids.filter((id) => !kept.has(id))
}

/** The messages among these that their receiver does not find in the conversation. */
async function missingMessages(target: ChildServer, ids: string[]): Promise<string[]> {
  const found = new Set<string>()
  const path = `/2/dm_conversations/with/${target.credentials.users[0]!.id}/dm_events`
  for (let token: string | undefined = ''; token !== undefined; ) {
    const url: string = `${target.credentials.base_url}${path}${token && `?pagination_token=${token}`}`
    const answer = await fetch(url, { headers: { authorization: sign('GET', url, keysOf(target, 1)) } })
    const page = (await answer.json()) as { data?: { id: string }[]; meta: { next_token?: string } }
    for (const item of page.data ?? []) found.add(item.id)
    token = page.meta.next_token
  }
  return ids.filter((id) => !found.has(id))
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const onLinux = process.platform === 'linux'

const VICTIMS = ['every process', 'only the supervisor', 'the database and the workers'] as const

test.runIf(onLinux).for(sampleOf('victims of kill -9', VICTIMS, 1))(
  'no acknowledged post, message, list or member is missing after kill -9 of %s',
  { timeout: 240_000 },
  async (victims) => {
    const writers = startWriters(server, `Before the death of ${victims}`)
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(40)
    const members = processesOf(server)
    expect(members.filter((item) => item.name === 'postgres').length).toBeGreaterThan(3)
    for (const item of members) {
      if (victims !== 'every process' && (item.name === 'supervisor') !== (victims === 'only the supervisor')) continue
      try {
        process.kill(item.pid, 'SIGKILL')
      } catch {
        // The process may have ended with its parent.
      }
    }
    if (victims === 'the database and the workers') {
      // The supervisor still runs: it starts database and workers again, and writing goes on.
      const before = writers.acknowledged.length
      await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(before + 20)
      await writers.stop()
    } else {
      await pause(100)
      await writers.stop()
      server = await start()
    }
    expect(await missing(server, writers.acknowledged)).toEqual([])
    expect(writers.lists.length).toBeGreaterThan(0)
    expect(await listsWithoutMember(server, writers.lists)).toEqual([])
    expect(writers.messages).not.toEqual([])
    expect(await missingMessages(server, writers.messages)).toEqual([])
  },
)

const KILLS = inject('sampling').cases === 'all' ? 5 : 2
const LEAVING = 1_200

test.runIf(onLinux)(
  'the removal of an account goes on after kill -9 of all workers, and every post is reported once',
  { timeout: 240_000 },
  async () => {
    let root: string | undefined
    const ask = async () => {
      root = (await post(server, `What somebody who leaves answered ${Math.random()}`).catch(() => undefined))?.id
      return root
    }
    await expect.poll(ask).toBeDefined()
    const posts = Array.from({ length: LEAVING }, (_, n) => ({ author: 'leaver', text: `answer ${n}`, reply_to: root }))
    const file = `${folder}/leaver.json`
    writeFileSync(file, JSON.stringify({ users: [{ username: 'leaver' }], posts }))
    await rostraJson(['apply', file, '--data-dir', server.dataDir])
    const client = new pg.Client(server.connection)
    await client.connect()
    const count = async (sql: string) => Number((await client.query(sql)).rows[0].count)
    const leaver = (await client.query(`select id from user_account where username = 'leaver'`)).rows[0].id
    expect(await count(`select reply_count as count from post_metrics where post_id = ${root}`)).toBe(LEAVING)
    await rostraJson(['user', 'delete', 'leaver', '--yes', '--data-dir', server.dataDir])
    const workers = () => processesOf(server).filter((item) => item.name !== 'supervisor' && item.name !== 'postgres')
    const left = () => count(`select count(*) from post where author_id = ${leaver}`)
    let before = LEAVING
    for (let kill = 0; kill < KILLS && before > 0; kill++) {
      // Each time in the middle: some posts are gone, and others are not.
      await expect.poll(left, { interval: 5 }).toBeLessThan(before)
      for (const { pid } of workers()) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      before = await left()
    }
    const isDone = () =>
      count(`select count(*) from deleted_account where user_id = ${leaver} and removed_at is not null`)
    await expect.poll(isDone).toBe(1)
    expect(await count(`select count(*) from post where author_id = ${leaver}`)).toBe(0)
    expect(await count(`select reply_count as count from post_metrics where post_id = ${root}`)).toBe(0)
    const reported = `(select post_id from event_log where type = 'post.delete' and actor_id = ${leaver}
      union all select post_id from event_outbox where type = 'post.delete' and actor_id = ${leaver}) e`
    expect(await count(`select count(*) from ${reported}`)).toBe(LEAVING)
    expect(await count(`select count(distinct post_id) from ${reported}`)).toBe(LEAVING)
    await client.end()
  },
)

test.runIf(onLinux)(
  'a worker that is killed is replaced, the others go on answering, and no client waits for ever',
  async () => {
    const workers = () => processesOf(server).filter((item) => item.name !== 'supervisor' && item.name !== 'postgres')
    let stopped = false
    let ended = 0
    let waited = 0
    const ask = () =>
      new Promise<void>((resolve) => {
        const request = http.get(`${server.baseUrl}/health`, { agent: false }, (answer) =>
          answer.resume().on('end', resolve),
        )
        request.setTimeout(10_000, () => {
          waited += 1
          request.destroy()
        })
        request.on('error', () => resolve())
      })
    const client = async () => {
      while (!stopped) {
        await ask()
        ended += 1
      }
    }
    const clients = Promise.all(Array.from({ length: 24 }, client))
    for (let kill = 0; kill < KILLS; kill++) {
      const before = ended
      await expect.poll(() => ended).toBeGreaterThan(before + 100)
      const [victim] = workers()
      process.kill(victim!.pid, 'SIGKILL')
      await expect.poll(() => workers().filter((item) => item.pid !== victim!.pid).length).toBe(2)
    }
    stopped = true
    await clients
    expect(waited).toBe(0)
    await expect
      .poll(async () => (await post(server, `After ${Math.random()}`).catch(() => undefined))?.status, {
        timeout: 60_000,
      })
      .toBe(201)
  },
)

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.runIf(onLinux)(
  'SIGTERM finishes requests in progress and leaves no process, and the next start has everything',
  async () => {
    const writers = startWriters(server, `Before the stop ${process.pid}`)
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(30)
    const members = processesOf(server)
    expect(await server.stop()).toBe(0)
    await writers.stop()
    // The system may show a process for a moment after its end, until its parent has taken note.
    await expect.poll(() => members.filter((item) => isAlive(item.pid))).toEqual([])
    server = await start()
    expect(await missing(server, writers.acknowledged)).toEqual([])
  },
)

test.runIf(onLinux)('a database that cannot be started again ends the server with the reason in words', async () => {
  const members = processesOf(server)
  const data = `${server.dataDir}/postgres/data`
  renameSync(`${data}/global/pg_control`, `${folder}/aside`)
  process.kill(members.find((item) => item.name === 'postgres')!.pid, 'SIGKILL')
  expect(await server.ended).toBe(1)
  const lastLine = server.log().trimEnd().split('\n').at(-1)!
  expect(lastLine).toMatch(/^Starting PostgreSQL failed\. Its last words: .*pg_control.*DATABASE_URL/)
  expect(server.log()).not.toMatch(/^\s+at /m)
  renameSync(`${folder}/aside`, `${data}/global/pg_control`)
  server = await start()
  expect((await post(server, 'Back again')).status).toBe(201)
})
