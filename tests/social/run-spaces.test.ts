import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { DAY, HOUR } from './acting.ts'
import { from, liveSpace, newHost } from './space-acting.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const counts = async (id: string) => {
  const { data } = (await server.get(`/2/spaces/${id}?space.fields=participant_count,subscriber_count,speaker_ids`))
    .body
  return data
}
/** Why a command is refused. */
async function refused(name: string, args: object): Promise<string> {
  const { status, body } = await server.tryCommand(name, args)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  return body.errors?.[0].message ?? body.detail
}

test('a space is scheduled by a duration from now on', async () => {
  const earliest = server.runtime.clock.now() + 2 * DAY
  const { id } = await server.command('spaces.create', { user: 'bob', scheduled_start: '+2d' })
  const { data } = (await server.get(`/2/spaces/${id}?space.fields=scheduled_start,state`)).body
  expect(data.state).toBe('scheduled')
  expect(Date.parse(data.scheduled_start) - earliest).toBeGreaterThan(-1_000)
  expect(Date.parse(data.scheduled_start) - earliest).toBeLessThan(HOUR)
  await server.command('spaces.cancel', { space: id })
})

describe('a space is refused', () => {
  test.each([
    ['in the past', -HOUR],
    ['more than 14 days ahead', 14 * DAY + HOUR],
  ])('with a start %s', async (_what, ms) => {
    expect(await refused('spaces.create', { user: 'bob', scheduled_start: from(server, ms) })).toBe(
      'A space can be scheduled at most 14 days ahead, and not in the past.',
    )
  })

  test.each([
    ['tomorrow', 'scheduled_start must be a time such as 2026-05-01T18:00:00Z, or a duration from now on such as +2d.'],
    [
      '2026-99-99T00:00:00Z',
      'scheduled_start must be a time such as 2026-05-01T18:00:00Z, or a duration from now on such as +2d.',
    ],
  ])('with the start %s', async (start, message) => {
    expect(await refused('spaces.create', { user: 'bob', scheduled_start: start })).toBe(message)
  })

  test('of a protected or suspended account', async () => {
    await server.command('user.create', { username: 'rs_shy', protected: true })
    expect(await refused('spaces.create', { user: 'rs_shy' })).toBe(
      '@rs_shy is protected. A protected account cannot create spaces.',
    )
    await server.command('user.update', { user: 'rs_shy', protected: false, suspended: true })
    expect(await refused('spaces.create', { user: 'rs_shy' })).toBe('@rs_shy is suspended.')
  })

  test('with a topic that does not exist, and the sentence lists all', async () => {
    const message = await refused('spaces.create', { user: 'bob', topics: ['Knots'] })
    expect(message).toMatch(/^There is no topic \[Knots\]\. The topics are: 101 \(Art\), /)
  })

  test('with more than ten hosts', async () => {
    const hosts = []
    for (let index = 0; index < 10; index++) hosts.push((await newHost(server, `rs_host${index}`)).username)
    expect(await refused('spaces.create', { user: 'bob', hosts })).toBe('A space has at most 10 hosts and speakers.')
  })

  test('beyond ten scheduled ones, also when they come at the same moment', async () => {
    await newHost(server, 'rs_planner')
    const draft = { user: 'rs_planner', title: 'again', scheduled_start: from(server, HOUR) }
    const answers = await Promise.all(Array.from({ length: 14 }, () => server.tryCommand('spaces.create', draft)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(await refused('spaces.create', draft)).toBe('@rs_planner has 10 scheduled spaces, and can have at most 10.')
  })

  test('live while another of the user is live, also at the same moment', async () => {
    await newHost(server, 'rs_busy')
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => server.tryCommand('spaces.create', { user: 'rs_busy' })),
    )
    const [made, ...others] = answers.toSorted((left, right) => left.status - right.status)
    expect(made!.status).toBe(200)
    for (const { body } of others)
      expect(body.detail).toBe(
        `The creator is live in the space [${made!.body.id}]. A user can be live in one space of their own at a time.`,
      )
  })
})

describe('states', () => {
  test('allow each change only where it makes sense', async () => {
    const id = await liveSpace(server, 'rs_states')
    expect(await refused('spaces.start', { space: id })).toBe(
      `The space [${id}] is live. Only a space that is scheduled can be started.`,
    )
    expect(await refused('spaces.cancel', { space: id })).toBe(
      `The space [${id}] is live. Only a space that is scheduled can be cancelled.`,
    )
    await server.command('spaces.end', { space: id })
    for (const [name, more] of [
      ['end', {}],
      ['join', { user: 'bob' }],
      ['leave', { user: 'bob' }],
      ['speak', { user: 'bob' }],
      ['subscribe', { user: 'bob' }],
      ['update', { title: 'too late' }],
    ] as const)
      expect(await refused(`spaces.${name}`, { space: id, ...more })).toMatch(`The space [${id}] is ended. Only`)
    expect((await server.tryCommand('spaces.end', { space: '1nothing' })).status).toBe(404)
    expect((await server.tryCommand('spaces.end', { space: 'not an id' })).status).toBe(400)
  })

  test('two ends at the same moment end it once', async () => {
    const id = await liveSpace(server, 'rs_twice')
    const answers = await Promise.all([1, 2, 3].map(() => server.tryCommand('spaces.end', { space: id })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  })
})

describe('taking part', () => {
  test('is counted exactly, whoever joins, joins again and leaves at the same moment', async () => {
    const id = await liveSpace(server, 'rs_crowd')
    const crowd: string[] = []
    for (let index = 0; index < 12; index++) crowd.push((await newHost(server, `rs_crowd${index}`)).username)
    await Promise.all(
      [...crowd, ...crowd].flatMap((user) => [
        server.command('spaces.join', { space: id, user }),
        server.command('spaces.subscribe', { space: id, user }),
      ]),
    )
    expect(await counts(id)).toMatchObject({ participant_count: 13, subscriber_count: 12 })
    await Promise.all(
      crowd
        .slice(0, 7)
        .flatMap((user) => [
          server.command('spaces.leave', { space: id, user }),
          server.command('spaces.leave', { space: id, user }),
          server.command('spaces.unsubscribe', { space: id, user }),
        ]),
    )
    expect(await counts(id)).toMatchObject({ participant_count: 6, subscriber_count: 5 })
  })

  test('in a ticketed space needs a ticket, except for hosts and invited users', async () => {
    const id = await liveSpace(server, 'rs_ticket', { ticketed: true, hosts: ['bob'], invited: ['chika'] })
    expect(await refused('spaces.join', { space: id, user: 'dario' })).toBe(
      'This space is ticketed, and the user has no ticket.',
    )
    await server.command('spaces.subscribe', { space: id, user: 'dario' })
    expect(await refused('spaces.join', { space: id, user: 'dario' })).toContain('no ticket')
    const { ticket_id: ticket } = await server.command('spaces.buy', { space: id, user: 'dario' })
    expect((await server.command('spaces.buy', { space: id, user: 'dario' })).ticket_id).toBe(ticket)
    for (const user of ['bob', 'chika', 'dario']) await server.command('spaces.join', { space: id, user })
    expect(await counts(id)).toMatchObject({ participant_count: 4, subscriber_count: 1 })
    // The ticket stays when the reminder goes.
    await server.command('spaces.unsubscribe', { space: id, user: 'dario' })
    expect(await counts(id)).toMatchObject({ subscriber_count: 1 })
    expect(await refused('spaces.buy', { space: id, user: 'bob' })).toBe('Hosts need no ticket.')
  })

  test('a space without tickets sells none', async () => {
    const id = await liveSpace(server, 'rs_free')
    expect(await refused('spaces.buy', { space: id, user: 'bob' })).toBe(`The space [${id}] has no tickets.`)
  })

  test('the creator cannot leave', async () => {
    const id = await liveSpace(server, 'rs_stay')
    expect(await refused('spaces.leave', { space: id, user: 'rs_stay' })).toBe(
      'The creator cannot leave a live space. End it instead.',
    )
  })

  test('ten hosts and speakers speak at a time; all who spoke stay listed', async () => {
    const id = await liveSpace(server, 'rs_speak')
    const crowd: { username: string; id: string }[] = []
    for (let index = 0; index < 10; index++) crowd.push(await newHost(server, `rs_speak${index}`))
    expect(await refused('spaces.speak', { space: id, user: 'rs_speak0' })).toBe(
      'Only users who are in a space can speak in it.',
    )
    for (const { username } of crowd) await server.command('spaces.join', { space: id, user: username })
    const speak = ({ username }: { username: string }) =>
      server.tryCommand('spaces.speak', { space: id, user: username })
    const answers = await Promise.all(crowd.map(speak))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9)
    const late = crowd[answers.findIndex(({ status }) => status !== 200)]!
    const quiet = crowd.find((other) => other !== late)!
    await server.command('spaces.listen', { space: id, user: quiet.username })
    expect((await speak(late)).status).toBe(200)
    const { speaker_ids: spoke } = await counts(id)
    expect([...spoke].sort()).toEqual(crowd.map((user) => user.id).sort())
    expect(await refused('spaces.share', { space: id, user: quiet.username, post: '1' })).toBe(
      'Could not find post with post: [1].',
    )
  })

  test('only hosts and speakers share posts', async () => {
    const id = await liveSpace(server, 'rs_share')
    const post = (await server.post('/2/posts', { text: 'worth sharing' }, { user: 'bob' })).body.data.id
    await server.command('spaces.join', { space: id, user: 'bob' })
    expect(await refused('spaces.share', { space: id, user: 'bob', post })).toBe(
      'Only hosts and speakers can share in a space.',
    )
    await server.command('spaces.speak', { space: id, user: 'bob' })
    expect(await server.command('spaces.share', { space: id, user: 'bob', post })).toMatchObject({ post_id: post })
  })
})
