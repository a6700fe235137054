import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { accessToken, forbidden, invalidRequest, keysFor, rows } from './acting.ts'
import { eventsOf, followCounts, newUser, standing, walk } from './relating.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

type Someone = { id: string; as: As }
const follow = (who: Someone, target: string) =>
  server.post(`/2/users/${who.id}/following`, { target_user_id: target }, who.as)
const unfollow = (who: Someone, target: string) => server.delete(`/2/users/${who.id}/following/${target}`, who.as)
const FOLLOWING = { data: { following: true, pending_follow: false } }
const PENDING = { data: { following: false, pending_follow: true } }
const NOT_FOLLOWING = { data: { following: false } }
let made = 0
const someone = (facts: Record<string, unknown> = {}) => {
  made += 1
  return newUser(server, `walker_${made}`, facts)
}

describe('following an open account', () => {
  test('is counted for both users, shown in both lists and in the relation, and happens once', async () => {
    const [one, other] = [await someone({ verified_type: 'blue' }), await someone()]
    const events = await eventsOf(server, async () => {
      const first = await follow(one, other.id)
      expect([first.status, first.body]).toEqual([200, FOLLOWING])
      expect((await follow(one, other.id)).body).toEqual(FOLLOWING)
    })
    expect(events).toEqual([['follow.follow', one.id, other.id]])
    expect(await followCounts(server, one.id)).toEqual([0, 1, '0'])
    expect(await followCounts(server, other.id)).toEqual([1, 0, '1'])
    expect(await standing(server, other.id, one.as)).toEqual(['following'])
    expect(await standing(server, one.id, other.as)).toEqual(['followed_by'])
    expect((await walk(server, `/2/users/${one.id}/following`, 'app')).ids).toEqual([other.id])
    expect((await walk(server, `/2/users/${other.id}/followers`, 'app')).ids).toEqual([one.id])
  })

  test('ends for both users when undone, and once', async () => {
    const [one, other] = [await someone({ verified_type: 'blue' }), await someone()]
    await follow(one, other.id)
    const events = await eventsOf(server, async () => {
      const first = await unfollow(one, other.id)
      expect([first.status, first.body]).toEqual([200, NOT_FOLLOWING])
      expect((await unfollow(one, other.id)).body).toEqual(NOT_FOLLOWING)
    })
    expect(events).toEqual([['follow.unfollow', one.id, other.id]])
    expect(await followCounts(server, one.id)).toEqual([0, 0, '0'])
    expect(await followCounts(server, other.id)).toEqual([0, 0, '0'])
    expect(await standing(server, other.id, one.as)).toEqual([])
    expect((await server.get(`/2/users/${one.id}/following`)).body).toEqual({ meta: { result_count: 0 } })
  })

  test('by 20 at once, each twice, counts 20; and 20 who leave at once leave none', async () => {
    const target = await someone()
    const crowd: Someone[] = []
    for (let index = 0; index < 20; index++) crowd.push(await someone(index < 5 ? { verified_type: 'business' } : {}))
    const answers = await Promise.all([...crowd, ...crowd].map((one) => follow(one, target.id)))
    expect(answers.map((answer) => answer.body)).toEqual(answers.map(() => FOLLOWING))
    expect(await followCounts(server, target.id)).toEqual([20, 0, '5'])
    // Everyone is followed back while half of them unfollow: both need the same two rows, in opposite order.
    await Promise.all([
      ...crowd.map((one) => follow(target, one.id)),
      ...crowd.slice(10).map((one) => unfollow(one, target.id)),
    ])
    expect(await followCounts(server, target.id)).toEqual([10, 20, '5'])
    await Promise.all(crowd.flatMap((one) => [unfollow(one, target.id), unfollow(target, one.id)]))
    expect(await followCounts(server, target.id)).toEqual([0, 0, '0'])
    expect(await Promise.all(crowd.map((one) => followCounts(server, one.id)))).toEqual(crowd.map(() => [0, 0, '0']))
  })
})

describe('a protected account', () => {
  test('has to approve: the request is pending, is not counted and is in no list', async () => {
    const [one, shy] = [await someone(), await someone({ protected: true })]
    const events = await eventsOf(server, async () => {
      expect((await follow(one, shy.id)).body).toEqual(PENDING)
      expect((await follow(one, shy.id)).body).toEqual(PENDING)
    })
    expect(events).toEqual([['follow.request', one.id, shy.id]])
    expect(await followCounts(server, shy.id)).toEqual([0, 0, '0'])
    expect(await followCounts(server, one.id)).toEqual([0, 0, '0'])
    expect(await standing(server, shy.id, one.as)).toEqual(['follow_request_sent'])
    expect(await standing(server, one.id, shy.as)).toEqual(['follow_request_received'])
    expect((await walk(server, `/2/users/${shy.id}/followers`, shy.as)).ids).toEqual([])
    expect((await walk(server, `/2/users/${one.id}/following`, one.as)).ids).toEqual([])
  })

  test('approves a request, which counts from then on', async () => {
    const [one, shy] = [await someone({ verified_type: 'blue' }), await someone({ protected: true })]
    await follow(one, shy.id)
    const pair = { source: one.id, target: shy.id }
    const events = await eventsOf(server, () => server.command('follow.approve', pair))
    expect(events).toEqual([['follow.follow', one.id, shy.id, { approved: true }]])
    expect(await followCounts(server, shy.id)).toEqual([1, 0, '1'])
    expect((await follow(one, shy.id)).body).toEqual(FOLLOWING)
    expect((await walk(server, `/2/users/${shy.id}/followers`, one.as)).ids).toEqual([one.id])
    await expect(server.command('follow.approve', pair)).rejects.toThrow('has not requested to follow')
  })

  test('rejects a request, or it is withdrawn, without an event', async () => {
    const [one, shy] = [await someone(), await someone({ protected: true })]
    const events = await eventsOf(server, async () => {
      await follow(one, shy.id)
      await server.command('follow.refuse', { source: one.id, target: shy.id })
      expect(await standing(server, shy.id, one.as)).toEqual([])
      await follow(one, shy.id)
      expect((await unfollow(one, shy.id)).body).toEqual(NOT_FOLLOWING)
    })
    expect(events.map(([type]) => type)).toEqual(['follow.request', 'follow.request'])
    expect(await standing(server, shy.id, one.as)).toEqual([])
    expect(await followCounts(server, shy.id)).toEqual([0, 0, '0'])
    await expect(server.command('follow.refuse', { source: one.id, target: shy.id })).rejects.toThrow('not requested')
  })

  test('that becomes public leaves its requests pending; new follows take effect at once', async () => {
    const [one, shy] = [await someone(), await someone({ protected: true })]
    await follow(one, shy.id)
    await server.command('user.update', { user: shy.id, protected: false })
    expect(await standing(server, shy.id, one.as)).toEqual(['follow_request_sent'])
    const events = await eventsOf(server, async () => {
      expect((await follow(one, shy.id)).body).toEqual(FOLLOWING)
    })
    expect(events).toEqual([['follow.follow', one.id, shy.id]])
    expect(await followCounts(server, shy.id)).toEqual([1, 0, '0'])
  })

  test('shows its lists only to itself and its followers', async () => {
    const [one, shy, stranger] = [await someone(), await someone({ protected: true }), await someone()]
    await server.command('relation.add', { kind: 'follow', source: one.id, target: shy.id })
    for (const list of ['followers', 'following']) {
      for (const as of [one.as, shy.as])
        expect((await server.get(`/2/users/${shy.id}/${list}`, as)).body.meta.result_count).toBe(
          list === 'followers' ? 1 : 0,
        )
      for (const as of [stranger.as, 'app'] as As[]) {
        const answer = await server.get(`/2/users/${shy.id}/${list}`, as)
        expect(answer.status).toBe(200)
        expect(answer.body).toEqual({
          errors: [
            {
              value: shy.id,
              detail: `Sorry, you are not authorized to see the User with id: [${shy.id}].`,
              title: 'Authorization Error',
              resource_type: 'user',
              parameter: 'id',
              resource_id: shy.id,
              section: 'data',
              type: `${server.runtime.problemBase}/not-authorized-for-resource`,
            },
          ],
        })
      }
    }
  })
})

describe('following is refused', () => {
  test('with 400 for the caller and for the path of another user', async () => {
    const one = await someone()
    const self = await follow(one, one.id)
    expect(self.status).toBe(400)
    expect(self.body).toEqual(
      invalidRequest(server, { parameters: { target_user_id: [one.id] }, message: 'You cannot follow yourself.' }),
    )
    const bob = server.userId('bob')
    const foreign = await follow({ id: bob, as: one.as }, server.userId('dario'))
    expect(foreign.status).toBe(400)
    expect(foreign.body.errors).toEqual([
      {
        parameters: { id: [bob] },
        message: `The \`id\` query parameter value [${bob}] must be the same as the authenticating user [${one.id}]`,
      },
    ])
    const ending = await unfollow({ id: bob, as: one.as }, server.userId('dario'))
    expect([ending.status, Object.keys(ending.body.errors[0].parameters)]).toEqual([400, ['source_user_id']])
  })

  test('with 404 for a user who does not exist or is suspended; unfollowing them gives the usual answer', async () => {
    const [one, gone] = [await someone(), await someone()]
    await server.command('user.update', { user: gone.id, suspended: true })
    for (const [id, title] of [
      ['1', 'Not Found Error'],
      ['9999999999999999999', 'Not Found Error'],
      [gone.id, 'Forbidden'],
    ] as const) {
      const answer = await follow(one, id)
      expect([answer.status, answer.body.title, answer.body.parameter]).toEqual([404, title, 'target_user_id'])
      expect((await unfollow(one, id)).body).toEqual(NOT_FOLLOWING)
    }
  })

  test('with 403 across a block, in both directions', async () => {
    const [one, other] = [await someone(), await someone()]
    await server.command('relation.add', { kind: 'block', source: other.id, target: one.id })
    const blocked = await follow(one, other.id)
    expect([blocked.status, blocked.body]).toEqual([
      403,
      forbidden('You have been blocked from following this account at the request of the user.'),
    ])
    const blocking = await follow(other, one.id)
    expect([blocking.status, blocking.body]).toEqual([403, forbidden('You cannot follow an account that you block.')])
    expect(await rows(server, 'select from follow where source_id = $1 or target_id = $1', [one.id])).toEqual([])
    await server.command('relation.remove', { kind: 'block', source: other.id, target: one.id })
    expect((await follow(one, other.id)).body).toEqual(FOLLOWING)
  })

  test('with 403 for an app of a lower tier, which may still end a follow', async () => {
    const keys = await keysFor(server, 'alice', 1)
    const alice = { id: server.userId('alice'), as: { keys } }
    const answer = await follow(alice, server.userId('chika'))
    expect(answer.status).toBe(403)
    expect(answer.body).toMatchObject({ title: 'Client Forbidden', reason: 'client-not-enrolled' })
    expect((await unfollow(alice, server.userId('chika'))).body).toEqual(NOT_FOLLOWING)
  })
})

describe('the lists of follows', () => {
  test('are read newest first in pages of the requested size, forward and back', async () => {
    const target = await someone()
    const fans: string[] = []
    for (let index = 0; index < 7; index++) {
      const fan = await someone()
      await follow(fan, target.id)
      fans.unshift(fan.id)
    }
    // In the order of the follows, not of the accounts.
    const early = { id: server.userId('bob'), as: { user: 'bob' } as As }
    await follow(early, target.id)
    fans.unshift(early.id)
    const { ids, tokens } = await walk(server, `/2/users/${target.id}/followers?max_results=3`, 'app')
    expect(ids).toEqual(fans)
    expect(tokens).toHaveLength(2)
    for (const token of tokens) expect(token).toMatch(/^[A-Z2-7]{13}ZZZ$/)
    const last = await server.get(`/2/users/${target.id}/followers?max_results=3&pagination_token=${tokens[1]}`)
    const back = await server.get(
      `/2/users/${target.id}/followers?max_results=3&pagination_token=${last.body.meta.previous_token}`,
    )
    expect(back.body.data.map((item: { id: string }) => item.id)).toEqual(fans.slice(3, 6))
  })

  test('leave out suspended users, and accept 1 to 1000 results', async () => {
    const [one, target] = [await someone(), await someone()]
    await follow(one, target.id)
    await server.command('user.update', { user: one.id, suspended: true })
    expect((await server.get(`/2/users/${target.id}/followers?max_results=1000`)).body).toEqual({
      meta: { result_count: 0 },
    })
    for (const size of [0, 1001]) {
      const answer = await server.get(`/2/users/${target.id}/followers?max_results=${size}`)
      expect([answer.status, answer.body.errors[0].message]).toEqual([
        400,
        `The \`max_results\` query parameter value [${size}] is not between 1 and 1000`,
      ])
    }
  })

  test('need the scope follows.read', async () => {
    const address = `/2/users/${server.userId('bob')}/followers`
    const [with_, without] = [
      await accessToken(server, 'alice', ['follows.read', 'post.read', 'users.read']),
      await accessToken(server, 'alice', ['post.read', 'users.read']),
    ]
    expect((await server.get(address, { bearer: with_ })).status).toBe(200)
    expect((await server.get(address, { bearer: without })).status).toBe(403)
  })
})
