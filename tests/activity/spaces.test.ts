import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newHost } from '../social/space-acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { clear, delivered, eventsOf, messagesOf, subscribe } from './subscribed-activity.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const wanting = (eventType: string, userId: string, more: object = {}) =>
  subscribe(server, { event_type: eventType, filter: { user_id: userId, ...more } })

describe('subscriptions', () => {
  test('report the start and the end of a space of the user', async () => {
    const host = await newHost(server, 'act_space')
    await wanting('spaces.start', host.id)
    await wanting('spaces.end', host.id)
    let id = ''
    const data = await delivered(server, async () => {
      id = (await server.command('spaces.create', { user: host.username, title: 'Weather' })).id
      await server.command('spaces.end', { space: id })
    })
    expect(data.map((item) => item.event_type)).toEqual(['spaces.start', 'spaces.end'])
    expect(data.map((item) => item.payload)).toEqual(
      ['spaces_start', 'spaces_end'].map((name) => ({
        user: { data: expect.objectContaining({ id: host.id, username: 'act_space', name: 'act_space' }) },
        broadcast_id: id,
        event_type: name,
      })),
    )
    expect(data[0].filter).toEqual({ user_id: host.id })
    await clear(server)
  })

  test('match only with a keyword of the title', async () => {
    const host = await newHost(server, 'act_keyword')
    await wanting('spaces.start', host.id, { keyword: 'Zucchini SOUP' })
    const titles = ['A soup of zucchini', 'Zucchini only', 'Café and soups']
    const heard: string[] = []
    for (const title of titles) {
      const found = await delivered(server, async () => {
        const { id } = await server.command('spaces.create', { user: host.username, title })
        await server.command('spaces.end', { space: id })
      })
      heard.push(...found.map(() => title))
    }
    expect(heard).toEqual(['A soup of zucchini'])
    await clear(server)
  })

  test('say nothing of a creator who was protected or is suspended now', async () => {
    const host = await newHost(server, 'act_hidden')
    await wanting('spaces.start', host.id)
    await wanting('spaces.end', host.id)
    let id = ''
    const started = await eventsOf(server, async () => {
      id = (await server.command('spaces.create', { user: host.username, title: 'x' })).id
    })
    await server.command('user.update', { user: host.username, suspended: true })
    expect(await messagesOf(server, started)).toEqual([])
    await server.command('user.update', { user: host.username, suspended: false, protected: true })
    const ended = await eventsOf(server, () => server.command('spaces.end', { space: id }))
    await server.command('user.update', { user: host.username, protected: false })
    expect(await messagesOf(server, ended)).toEqual([])
    expect(await messagesOf(server, started)).toHaveLength(1)
    await clear(server)
  })
})

test('a cancelled or updated space causes no event', async () => {
  const host = await newHost(server, 'act_quiet')
  const events = await eventsOf(server, async () => {
    const { id } = await server.command('spaces.create', {
      user: host.username,
      scheduled_start: new Date(server.runtime.clock.now() + 60_000).toISOString(),
    })
    await server.command('spaces.update', { space: id, title: 'Other' })
    await server.command('spaces.cancel', { space: id })
  })
  expect(events).toEqual([])
})
