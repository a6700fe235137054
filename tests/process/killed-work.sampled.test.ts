import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import {
  addKey,
  type ChatServer,
  type ChatUser,
  type Conversation,
  encrypt,
  joinChat,
  path,
  readAll,
  sendBody,
} from '../social/chatting.ts'
import { type ChildServer, removeFolder, startChildServer, temporaryFolder } from '../support/child-server.ts'
import { postmasterOf, processesBelow, workersOf } from '../support/processes.ts'
import { sampleOf } from '../support/sampling.ts'
import type { As, TestAnswer } from '../support/server.ts'
import { sign } from '../support/sign.ts'

let folder: string
let server: ChildServer

// One installation for all: each test leaves it running and whole.
beforeAll(async () => {
  folder = temporaryFolder()
  server = await startChildServer({ dataDir: `${folder}/data`, flags: ['--workers', '2', '--rate-limits', 'off'] })
})
afterAll(async () => {
  await server.stop()
  removeFolder(folder)
})

const keysOf = (user: number) => {
  const { apps, users } = server.credentials
  return {
    consumerKey: apps[0]!.api_key,
    consumerSecret: apps[0]!.api_key_secret,
    token: users[user]!.access_token,
    tokenSecret: users[user]!.access_token_secret,
  }
}
const as = (user: number): As => ({ keys: keysOf(user) })
const idOf = (user: number): string => server.credentials.users[user]!.id

async function ask(method: string, target: string, body: unknown, by: As): Promise<TestAnswer> {
  const url = server.credentials.base_url + target
  const isSigned = typeof by === 'object' && 'keys' in by
  const authorization = isSigned
    ? sign(method, url, by.keys)
    : `Bearer ${by === 'app' ? server.credentials.apps[0]!.bearer_token : server.credentials.admin_key}`
  const answer = await fetch(url, {
    method,
    headers: { authorization, 'content-type': 'application/json', connection: 'close' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(3_000),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: text === '' ? undefined : JSON.parse(text) }
}
const direct: ChatServer = {
  get: (target, by) => ask('GET', target, undefined, by!),
  post: (target, body, by) => ask('POST', target, body, by!),
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const chatUsers: ChatUser[] = []
const pairs = [
  [0, 1],
  [0, 2],
  [1, 2],
]

/** Two users who have no conversation yet. */
async function freshPair(): Promise<ChatUser[]> {
  for (let user = chatUsers.length; user < 3; user++) chatUsers.push(await joinChat(direct, idOf(user), as(user)))
  return pairs.shift()!.map((user) => chatUsers[user]!)
}

/** Sends until there is an answer that is not a failure: what a careful client does. Returns it, with the number of failures before. */
async function persist(send: () => Promise<TestAnswer>): Promise<TestAnswer & { failures: number }> {
  for (let failures = 0; ; failures++) {
    const answer = await send().catch(() => undefined)
    if (answer && answer.status < 500) return { ...answer, failures }
    if (failures > 600) throw new Error(`no answer: ${answer?.text}`)
    await pause(50)
  }
}

const VICTIMS = ['all workers', 'the database and all workers'] as const
type Victims = (typeof VICTIMS)[number]

/** Kills without warning. The supervisor starts what was killed again. */
function kill(victims: Victims): void {
  const postmaster = postmasterOf(server)
  const database = [postmaster, ...processesBelow(postmaster).map((item) => item.pid)]
  for (const pid of [...(victims === 'all workers' ? [] : database), ...workersOf(server)]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended with its parent.
    }
  }
}

/** Runs a query when the database answers. */
async function rows(sql: string): Promise<Record<string, string>[]> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client(server.connection)
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query(sql)).rows
    } catch (error) {
      if (tries > 100) throw error
      await pause(100)
    } finally {
      await client.end().catch(() => {})
    }
  }
}

const KILLS = inject('sampling').cases === 'some' ? 1 : 2
const SUBJECTS = ['chat', 'compliance', 'insights'] as const
const CASES = SUBJECTS.flatMap((subject) => VICTIMS.map((victims) => [subject, victims] as const))
const casesOf = (subject: string) =>
  sampleOf('killed work', CASES, 1, { inRest: 2 }).flatMap(([of, victims]) => (of === subject ? [victims] : []))
const onLinux = process.platform === 'linux'
const timeout = 120_000

test.runIf(onLinux).for(casesOf('chat'))(
  'every encrypted message is there once, in one chain of sequences, after kill -9 of %s',
  { timeout },
  async (victims) => {
    const members = await freshPair()
    const conversation = await addKey(direct, members[0]!, members)
    const said: { payload: ReturnType<typeof sendBody>; by: ChatUser; text: string; event: string }[] = []
    let failures = 0
    let stopped = false
    const write = async (by: ChatUser, name: string) => {
      for (let count = 0; !stopped; count++) {
        const text = `${name} ${count}`
        const payload = sendBody(encrypt(by, conversation, text))
        const sent = await persist(() => direct.post(path(conversation.id, '/messages'), payload, by.as))
        expect(sent.status, sent.text).toBe(201)
        failures += sent.failures
        said.push({ payload, by, text, event: sent.body.data.encoded_message_event })
      }
    }
    const writers = Promise.all([0, 1, 2, 3].map((writer) => write(members[writer % 2]!, `writer ${writer}`)))
    for (let round = 0; round < KILLS; round++) {
      const before = said.length
      await expect.poll(() => said.length).toBeGreaterThan(before + 30)
      kill(victims)
    }
    const before = said.length
    await expect.poll(() => said.length).toBeGreaterThan(before + 30)
    stopped = true
    await writers
    expect(failures).toBeGreaterThan(0)
    await expectWhole(members, conversation, said)
  },
)

async function expectWhole(
  members: ChatUser[],
  conversation: Conversation,
  said: { payload: object; by: ChatUser; text: string; event: string }[],
): Promise<void> {
  for (const reader of members) {
    const read = await readAll(direct, reader, conversation.id, members)
    expect(Object.keys(read.errors)).toEqual([])
    expect([...read.texts].sort()).toEqual(said.map((item) => item.text).sort())
    for (const { event } of said) expect(read.events).toContain(event)
    const sequences = read.sequences.map(BigInt)
    expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => (one < other ? -1 : 1)))
  }
  // Sent again, a message is answered with the event that it became.
  for (const { payload, by, event } of said.slice(-3)) {
    const again = await direct.post(path(conversation.id, '/messages'), payload, by.as)
    expect(again.body.data.encoded_message_event).toBe(event)
  }
  // Each event names the one before it, and each message is one event of the log.
  const [chain] = await rows(
    `select count(*) filter (where previous_sequence is distinct from before) as broken, count(*) filter (where kind = 'message') as messages
       from (select kind, previous_sequence, lag(sequence) over (partition by conversation_id order by sequence) as before from chat_event) e`,
  )
  const [log] = await rows(
    `select count(*) as events, count(distinct payload ->> 'sequence') as messages from (
       select payload from event_log where type = 'chat.message' union all select payload from event_outbox where type = 'chat.message') e`,
  )
  const count = chain!.messages
  expect(chain).toEqual({ broken: '0', messages: count })
  expect(log).toEqual({ events: count, messages: count })
}

test.runIf(onLinux).for(casesOf('compliance'))(
  'a compliance job has every id in its result once after kill -9 of %s during upload and processing',
  { timeout },
  async (victims) => {
    const kept = [idOf(0), idOf(1)]
    const ids = Array.from({ length: 300_000 }, (_, index) => String(index + 5_000_000))
    ids.splice(100_000, 0, ...kept)
    const file = Buffer.from(ids.join('\n'))
    const made = await persist(() => ask('POST', '/2/compliance/jobs', { type: 'users', resumable: true }, 'app'))
    expect(made.status, made.text).toBe(200)
    const { id, upload_url, download_url } = made.body.data
    let failures = 0
    let isUploaded = false
    for (let from = 0, parts = 0; !isUploaded; parts++) {
      const part = file.subarray(from, from + 400_000)
      const range = `bytes ${from}-${from + part.length - 1}/${file.length}`
      if (parts === 2) setTimeout(() => kill(victims), 5)
      const answer = await put(upload_url, part, range)
      if (!answer) {
        failures += 1
        const state = await put(upload_url, Buffer.alloc(0), `bytes */${file.length}`)
        from = state?.from ?? from
        isUploaded = state?.isDone ?? false
        await pause(50)
        continue
      }
      from = answer.from
      isUploaded = answer.isDone
    }
    expect(failures).toBeGreaterThan(0)
    // In the middle: some segments have their result, and others do not.
    const done = async () =>
      Number((await rows(`select result_parts from compliance_job where id = ${id}`))[0]!.result_parts)
    await expect.poll(done, { interval: 5 }).toBeGreaterThan(0)
    kill(victims)
    const status = async () =>
      (await persist(() => ask('GET', `/2/compliance/jobs/${id}`, undefined, 'app'))).body.data?.status
    await expect.poll(status, { interval: 100 }).toBe('complete')
    const result = await (await fetch(download_url)).text()
    const found = result
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id)
    expect(found).toEqual(ids.filter((item) => !kept.includes(item)))
  },
)

/** Uploads a part, or asks with an empty one. Returns where the upload goes on; undefined when there was no answer. */
async function put(
  url: string,
  part: Buffer<ArrayBuffer>,
  range: string,
): Promise<{ from: number; isDone: boolean } | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'PUT',
      headers: { 'content-range': range, 'content-type': 'text/plain', connection: 'close' },
      body: part,
      signal: AbortSignal.timeout(5_000),
    })
    if (answer.status >= 500) return undefined
    // 409: the answer to the last part was lost, and all ids are there.
    if (answer.status === 200 || answer.status === 409) return { from: 0, isDone: true }
    expect(answer.status).toBe(308)
    return { from: Number(/-(\d+)$/.exec(answer.headers.get('range') ?? '-')?.[1] ?? -1) + 1, isDone: false }
  } catch {
    return undefined
  }
}

/** How many events the reader that counts has not read yet. */
const waiting = async (): Promise<number> =>
  Number(
    (
      await rows(
        `select (select count(*) from event_outbox) + (select place from event_head) - (select place from event_reader where name = 'insights') as n`,
      )
    )[0]!.n,
  )

test.runIf(onLinux).for(casesOf('insights'))(
  'analytics count every like, unlike, reply and view once after kill -9 of %s',
  { timeout },
  async (victims) => {
    const made = await persist(() => ask('POST', '/2/posts', { text: `Counted ${Math.random()}` }, as(0)))
    const post: string = made.body.data.id
    let stopped = false
    const counts = { likes: 0, unlikes: 0, seen: 0, unsure: 0, failures: 0 }
    /** Likes and takes it back, again and again; a repeated call changes nothing. */
    const like = async (user: number) => {
      while (!stopped || counts.likes > counts.unlikes) {
        const liked = await persist(() => ask('POST', `/2/users/${idOf(user)}/likes`, { post_id: post }, as(user)))
        expect(liked.status, liked.text).toBe(200)
        counts.likes += 1
        const ended = await persist(() => ask('DELETE', `/2/users/${idOf(user)}/likes/${post}`, undefined, as(user)))
        expect(ended.status, ended.text).toBe(200)
        counts.unlikes += 1
        counts.failures += liked.failures + ended.failures
        if (stopped) return
      }
    }
    const reply = async () => {
      for (let count = 0; !stopped; count++)
        await ask(
          'POST',
          '/2/posts',
          { text: `Reply ${count} to ${post}`, reply: { in_reply_to_post_id: post } },
          as(2),
        ).catch(() => {})
    }
    // Views are not sent twice: without an answer a client cannot know whether they were counted.
    const see = async () => {
      while (!stopped) {
        const seen = await ask('POST', '/_rostra/commands/views.add', { views: [{ post, count: 3 }] }, 'nobody').catch(
          () => undefined,
        )
        if (seen?.status === 200) counts.seen += 3
        else counts.unsure += 3
      }
    }
    const work = Promise.all([like(0), like(1), reply(), see()])
    for (let round = 0; round <= KILLS; round++) {
      const before = counts.likes
      await expect.poll(() => counts.likes).toBeGreaterThan(before + 20)
      if (round < KILLS) kill(victims)
    }
    stopped = true
    await work
    expect(counts.failures).toBeGreaterThan(0)
    const [{ reply_count: replies }] = (await rows(`select reply_count from post_metrics where post_id = ${post}`)) as [
      Record<string, string>,
    ]
    expect(Number(replies)).toBeGreaterThan(0)
    const read = async () => {
      const span = `start_time=${new Date(Date.now() - 3_600_000).toISOString()}&end_time=${new Date().toISOString()}`
      const answer = await persist(() =>
        ask('GET', `/2/posts/analytics?ids=${post}&granularity=total&${span}`, undefined, as(0)),
      )
      expect(answer.status, answer.text).toBe(200)
      const { likes, unlikes, replies: counted } = answer.body.data[0].timestamped_metrics[0].metrics
      return { likes, unlikes, replies: counted }
    }
    const all = { likes: counts.likes, unlikes: counts.unlikes, replies: Number(replies) }
    await expect.poll(waiting).toBe(0)
    expect(await read()).toEqual(all)
    const shown = await persist(() => ask('GET', `/2/posts/${post}?post.fields=public_metrics`, undefined, 'app'))
    const { impression_count: views } = shown.body.data.public_metrics
    expect(views).toBeGreaterThanOrEqual(counts.seen)
    expect(views).toBeLessThanOrEqual(counts.seen + counts.unsure)
    expect(views % 3).toBe(0)
  },
)
