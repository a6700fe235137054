import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACTIVITY_NAMES, activityType } from '../../src/activity/event-types.ts'
import { triggerTypes } from '../../src/control/triggers/trigger.ts'
import { accessToken } from '../social/acting.ts'
import { linesOf } from '../streams/stream-lines.ts'
import { openStream, type ReadStream } from '../support/read-stream.ts'
import type { As, TestServer } from '../support/server.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import { startServerWithReceiver } from '../webhooks/server-with-receiver.ts'
import { type Facts, NOT_YET, type Row, TABLE } from './event-table.ts'
import { SUBSCRIBING } from './subscribed-activity.ts'

// Everything happens once, by its action and by a trigger. Then each test looks at what arrived.

/** The types of the product description. */
const DESCRIBED = [
  ...['profile.update.bio', 'profile.update.verified', 'profile.update.affiliate', 'profile.update.screenname'],
  ...['post.create', 'post.delete', 'spaces.start', 'spaces.end', 'chat.received', 'chat.sent'],
  ...['dm.received', 'dm.sent', 'dm.read', 'dm.indicate_typing', 'post.mention.create'],
]
const RUNS = { act: 'zeppelin', trigger: 'submarine' } as const
type Run = keyof typeof RUNS
const PAIRS: Record<Run, readonly [string, string]> = { act: ['alice', 'bob'], trigger: ['bob', 'alice'] }
const LEAVERS = ['leaver', 'deserter']
const WITHIN_MS = 60_000

let server: TestServer
let receiver: Receiver
let stream: ReadStream
let close: () => Promise<void>
const ids = new Map<string, string>()
const facts = new Map<string, Facts>()
const failures = new Map<string, unknown>()

const actorsOf = (row: Row, run: Run) => {
  const [user, target] = row.actors?.[run] ?? PAIRS[run]
  return { user, target, idsOf: { user: ids.get(user)!, target: ids.get(target)! } }
}
const entries = Object.entries(TABLE)
const expected = (Object.keys(RUNS) as Run[]).flatMap((run) => entries.map(([name, row]) => ({ run, name, row })))

/** The lines of the stream or the bodies of a webhook that are about what happened. */
// biome-ignore lint/suspicious/noExplicitAny: bodies whose members the table looks at.
function about(bodies: any[], { run, name, row }: (typeof expected)[number]) {
  const made = facts.get(`${run} ${name}`)
  if (!made) throw failures.get(`${run} ${name}`)
  const { idsOf } = actorsOf(row, run)
  return bodies.filter(
    ({ data }) => data?.event_type === name && data.tag.includes(run) && row.is(data.payload, made, idsOf),
  )
}
const bodiesAt = (path: string) => receiver.deliveries.filter((item) => item.path === path).map((item) => item.body)

function ofAccount({ run, name, row }: (typeof expected)[number], side: 'user' | 'target') {
  const { idsOf } = actorsOf(row, run)
  return bodiesAt('/account').filter(
    (body) =>
      (body.for_user_id ?? body.user_event?.revoke.source.user_id) === idsOf[side] &&
      row.account!.is(body, facts.get(`${run} ${name}`)!, idsOf),
  )
}

async function subscribe(run: Run, name: string, row: Row, webhooks: readonly string[], tokens: Map<string, string>) {
  const { user, target, idsOf } = actorsOf(row, run)
  const { names, scope } = activityType(name)
  const of = row.of ?? 'user'
  const filter = name === 'news.new' ? { keyword: RUNS[run] } : of === 'app' ? {} : { user_id: idsOf[of] }
  const as: As = scope === undefined ? 'app' : { bearer: tokens.get(of === 'target' ? target : user)! }
  // Two names of a type are the same subscription, unless they have different webhooks.
  const webhook_id = webhooks[names.indexOf(name)]
  // Without a user or a keyword, both runs have one subscription.
  const isShared = Object.keys(filter).length === 0
  if (isShared && run === 'trigger') return
  const body = { event_type: name, filter, tag: isShared ? 'act and trigger' : run, webhook_id }
  const made = await server.post('/2/activity/subscriptions', body, as)
  expect(made.status, `${name}: ${made.text}`).toBe(200)
}

async function happen(run: Run, name: string, row: Row): Promise<void> {
  const { user, target, idsOf } = actorsOf(row, run)
  const actors = { server, user, target, word: RUNS[run] }
  try {
    if (run === 'act') facts.set(`${run} ${name}`, await row.act(actors))
    else {
      const takesTarget = triggerTypes().some((type) => type.event_type === name && type.takes.includes('target'))
      const args = { user: idsOf.user, ...(takesTarget ? { target: idsOf.target } : {}), ...(await row.args?.(actors)) }
      facts.set(`${run} ${name}`, await server.command('trigger', { event_type: name, ...args }))
    }
  } catch (error) {
    failures.set(`${run} ${name}`, error)
  }
}

beforeAll(async () => {
  ;({ server, receiver, close } = await startServerWithReceiver([], { events: true }))
  for (const name of ['alice', 'bob', 'chika', 'dario']) ids.set(name, server.userId(name))
  for (const [source, target] of Object.values(PAIRS))
    await server.command('relation.remove', { kind: 'follow', source, target })
  const webhookAt = async (path: string) => (await server.post('/2/webhooks', { url: receiver.url(path) })).body.id
  const webhooks = [await webhookAt('/activity'), await webhookAt('/alias')]
  const account = `/2/account_activity/webhooks/${await webhookAt('/account')}/subscriptions/all`
  const tokens = new Map<string, string>()
  const { apps } = await server.command('app.list')
  for (const username of LEAVERS) {
    ids.set(username, (await server.command('user.create', { username })).id)
    const pair = await server.command('user.token', { user: username, app: apps[0].id })
    const keys = { ...server.keysOf('alice'), token: pair.access_token, tokenSecret: pair.access_token_secret }
    expect((await server.request('POST', account, { as: { keys } })).status).toBe(200)
  }
  for (const user of ['alice', 'bob', 'chika', 'dario']) {
    tokens.set(user, await accessToken(server, user, [...SUBSCRIBING, 'mute.read', 'block.read']))
    expect((await server.request('POST', account, { as: { user } })).status).toBe(200)
  }
  stream = await openStream(server, '/2/activity/stream')
  for (const { run, name, row } of expected) await subscribe(run, name, row, webhooks, tokens)
  for (const { run, name, row } of expected) await happen(run, name, row)

  const isComplete = () => {
    const arrived = [linesOf(stream), [...bodiesAt('/activity'), ...bodiesAt('/alias')]]
    return expected.every(
      (item) =>
        failures.has(`${item.run} ${item.name}`) ||
        (arrived.every((bodies) => about(bodies, item).length > 0) &&
          (item.row.account?.sides ?? []).every((side) => ofAccount(item, side).length > 0)),
    )
  }
  const deadline = performance.now() + WITHIN_MS
  while (!isComplete() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50))
})
afterAll(async () => {
  stream?.close()
  await close()
})

test('the table has every type that can be subscribed to, and those that cannot happen yet with a reason', () => {
  expect([...Object.keys(TABLE), ...Object.keys(NOT_YET)].sort()).toEqual([...ACTIVITY_NAMES].sort())
  expect(DESCRIBED.filter((name) => !(name in TABLE))).toEqual([])
})

test('a trigger exists for every type that can happen, and for no other type of activity', () => {
  const triggered = triggerTypes().map((type) => type.event_type)
  expect(ACTIVITY_NAMES.filter((name) => triggered.includes(name)).sort()).toEqual(Object.keys(TABLE).sort())
})

test.each(Object.entries(NOT_YET))(
  '%s can be subscribed to, but a trigger says that nothing causes it: %s',
  async (name) => {
    const refused = await server.tryCommand('trigger', { event_type: name })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('is not available yet')])
  },
)

/** What two renderings of a message have in common; counters may have changed in between. */
// biome-ignore lint/suspicious/noExplicitAny: an envelope.
const essence = ({ data: { payload, includes, ...rest } }: any) => ({
  ...rest,
  payload: Object.keys(payload),
  includes: Object.keys(includes ?? {}),
})

describe.each(Object.keys(RUNS) as Run[])('by its %s', (run) => {
  const items = expected.filter((item) => item.run === run)

  test.each(items)('$name reaches the open stream and the webhook once, as the same message', (item) => {
    const lines = about(linesOf(stream), item)
    expect(lines).toHaveLength(1)
    const path = activityType(item.name).names[0] === item.name ? '/activity' : '/alias'
    expect(about(bodiesAt(path), item).map(essence)).toEqual(lines.map(essence))
  })

  test.each(items.filter(({ row }) => row.account))('$name reaches account activity once for each side', (item) => {
    about([], item)
    for (const side of ['user', 'target'] as const)
      expect(ofAccount(item, side), side).toHaveLength(item.row.account!.sides.includes(side) ? 1 : 0)
  })
})

test('account activity has no other kinds of events', () => {
  const kinds = new Set(bodiesAt('/account').flatMap((body) => Object.keys(body)))
  const events = [...kinds].filter((name) => /_events?$/.test(name))
  expect(events.sort()).toEqual([
    'block_events',
    'direct_message_events',
    'direct_message_indicate_typing_events',
    'direct_message_mark_read_events',
    'favorite_events',
    'follow_events',
    'mute_events',
    'post_create_events',
    'post_delete_events',
    'user_event',
  ])
})
