import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { change, type Invalidate } from '../../src/api-kit/runtime.ts'
import { blockUser } from '../../src/social/blocks/block.ts'
import { follow as makeFollow } from '../../src/social/follows/follow.ts'
import { createUser } from '../../src/social/users/create-user.ts'
import type { Tx } from '../../src/storage/database.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { accessToken, invalidRequest, keysFor, makePost, rows } from './acting.ts'
import { eventsOf, followCounts, newUser, standing, walk } from './relating.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

type Someone = { id: string; as: As }
const mute = (who: Someone, target: string) =>
  server.post(`/2/users/${who.id}/muting`, { target_user_id: target }, who.as)
const unmute = (who: Someone, target: string) => server.delete(`/2/users/${who.id}/muting/${target}`, who.as)
const block = (source: string, target: string) => server.command('relation.add', { kind: 'block', source, target })
const unblock = (source: string, target: string) => server.command('relation.remove', { kind: 'block', source, target })
const follow = (source: string, target: string) => server.command('relation.add', { kind: 'follow', source, target })
let made = 0
const someone = (facts: Record<string, unknown> = {}) => {
  made += 1
  return newUser(server, `quiet_${made}`, facts)
}

/** Runs `second` while `first` is done but not yet committed: until `second` waits for it, or finished too early. */
async function meanwhile<T>(
  first: (tx: Tx, invalidate: Invalidate) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  let done = false
  let later: Promise<T> | undefined
  await change(server.runtime, async (tx, invalidate) => {
    await first(tx, invalidate)
    later = second().finally(() => {
      done = true
    })
    for (let isWaiting = false; !isWaiting && !done; )
      isWaiting =
        (
          await rows(
            server,
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).length > 0
  })
  return later!
}

describe('muting', () => {
  test('is visible only to the user who mutes, and happens once in each direction', async () => {
    const [one, other] = [await someone(), await someone()]
    const events = await eventsOf(server, async () => {
      for (const _time of [1, 2]) {
        const answer = await mute(one, other.id)
        expect([answer.status, answer.body]).toEqual([200, { data: { muting: true } }])
      }
      expect(await standing(server, other.id, one.as)).toEqual(['muting'])
      expect(await standing(server, one.id, other.as)).toEqual([])
      for (const _time of [1, 2]) {
        const answer = await unmute(one, other.id)
        expect([answer.status, answer.body]).toEqual([200, { data: { muting: false } }])
      }
    })
    expect(events).toEqual([
      ['mute.mute', one.id, other.id],
      ['mute.unmute', one.id, other.id],
    ])
    expect(await standing(server, other.id, one.as)).toEqual([])
  })

  test('hides nothing from the muted user, ends no follow and needs no tier', async () => {
    const [one, other] = [await someone(), await someone()]
    await follow(other.id, one.id)
    await mute(one, other.id)
    const post = await makePost(server, one.as, { text: 'still here' })
    expect((await server.get(`/2/posts/${post}`, other.as)).body.data.id).toBe(post)
    expect(await followCounts(server, one.id)).toEqual([1, 0, '0'])
    const alice = { id: server.userId('alice'), as: { keys: await keysFor(server, 'alice', 1) } }
    expect((await mute(alice, other.id)).body).toEqual({ data: { muting: true } })
  })

  test('of the same user by 20 calls at once happens once', async () => {
    const [one, other] = [await someone(), await someone()]
    const events = await eventsOf(server, () => Promise.all(Array.from({ length: 20 }, () => mute(one, other.id))))
    expect(events).toEqual([['mute.mute', one.id, other.id]])
  })

  test('is rejected for the caller, for the path of another user, and for unknown users', async () => {
    const [one, other] = [await someone(), await someone()]
    const self = await mute(one, one.id)
    expect([self.status, self.body]).toEqual([
      400,
      invalidRequest(server, { parameters: { target_user_id: [one.id] }, message: 'You cannot mute yourself.' }),
    ])
    const foreign = await mute({ id: other.id, as: one.as }, server.userId('bob'))
    expect([foreign.status, Object.keys(foreign.body.errors[0].parameters)]).toEqual([400, ['id']])
    const ending = await unmute({ id: other.id, as: one.as }, server.userId('bob'))
    expect([ending.status, Object.keys(ending.body.errors[0].parameters)]).toEqual([400, ['source_user_id']])
    const nobody = await mute(one, '12')
    expect([nobody.status, nobody.body.detail]).toEqual([404, 'Could not find user with target_user_id: [12].'])
    expect((await unmute(one, '9999999999999999999')).body).toEqual({ data: { muting: false } })
  })

  test('is undone by a short id with leading zeros', async () => {
    const [one, old] = [await someone(), '4711']
    const draft = { username: 'old_account', name: 'Old' }
    await change(server.runtime, (tx, invalidate) => createUser(tx, invalidate, server.runtime, draft, old))
    await mute(one, old)
    expect(await standing(server, old, one.as)).toEqual(['muting'])
    await unmute(one, `000${old}`)
    expect(await standing(server, old, one.as)).toEqual([])
  })

  test('lists whom the caller mutes, newest first, with decimal tokens', async () => {
    const one = await someone()
    const muted: string[] = []
    for (let index = 0; index < 5; index++) {
      const other = await someone()
      await mute(one, other.id)
      muted.unshift(other.id)
    }
    await mute(one, server.userId('bob'))
    muted.unshift(server.userId('bob'))
    const { ids, tokens } = await walk(server, `/2/users/${one.id}/muting?max_results=2`, one.as)
    expect(ids).toEqual(muted)
    expect(tokens).toHaveLength(2)
    for (const token of tokens) expect(token).toMatch(/^[0-9]{1,19}$/)
    const foreign = await server.get(`/2/users/${server.userId('bob')}/muting`, one.as)
    expect(foreign.status).toBe(400)
  })
})

describe('blocking', () => {
  test('ends the follows of both with their counts, and reports each', async () => {
    const [one, other] = [await someone({ verified_type: 'blue' }), await someone()]
    await follow(one.id, other.id)
    await follow(other.id, one.id)
    expect(await followCounts(server, other.id)).toEqual([1, 1, '1'])
    const events = await eventsOf(server, async () => {
      await block(one.id, other.id)
      await block(one.id, other.id)
    })
    expect(events[0]).toEqual(['block.block', one.id, other.id])
    expect(events.slice(1).sort()).toEqual(
      [
        ['follow.unfollow', one.id, other.id],
        ['follow.unfollow', other.id, one.id],
      ].sort(),
    )
    expect(await followCounts(server, one.id)).toEqual([0, 0, '0'])
    expect(await followCounts(server, other.id)).toEqual([0, 0, '0'])
    expect(await standing(server, other.id, one.as)).toEqual(['blocking'])
    expect(await standing(server, one.id, other.as)).toEqual([])
  })

  test('ends a request without an event and without a count', async () => {
    const [one, shy] = [await someone(), await someone({ protected: true })]
    await server.post(`/2/users/${one.id}/following`, { target_user_id: shy.id }, one.as)
    const events = await eventsOf(server, () => block(shy.id, one.id))
    expect(events).toEqual([['block.block', shy.id, one.id]])
    expect(await standing(server, shy.id, one.as)).toEqual([])
    expect(await followCounts(server, shy.id)).toEqual([0, 0, '0'])
    await expect(server.command('follow.approve', { source: one.id, target: shy.id })).rejects.toThrow(
      'has not requested to follow',
    )
  })

  test('undone restores no follow', async () => {
    const [one, other] = [await someone(), await someone()]
    await follow(one.id, other.id)
    await block(other.id, one.id)
    const events = await eventsOf(server, async () => {
      await unblock(other.id, one.id)
      await unblock(other.id, one.id)
    })
    expect(events).toEqual([['block.unblock', other.id, one.id]])
    expect(await standing(server, one.id, other.as)).toEqual([])
    expect(await followCounts(server, other.id)).toEqual([0, 0, '0'])
  })

  test('hides posts and lists of each from the other', async () => {
    const [one, other] = [await someone(), await someone()]
    const post = await makePost(server, one.as, { text: 'not for everyone' })
    await block(one.id, other.id)
    expect((await server.get(`/2/posts/${post}`, other.as)).body.data).toBeUndefined()
    for (const [viewer, owner] of [
      [one, other],
      [other, one],
    ] as const) {
      const answer = await server.get(`/2/users/${owner.id}/followers`, viewer.as)
      expect(answer.body.errors[0].title).toBe('Authorization Error')
    }
  })

  test('that is in progress delays a follow, which is then rejected', async () => {
    const [one, other] = [await someone(), await someone()]
    const answer = await meanwhile(
      (tx, invalidate) => blockUser(tx, invalidate, server.runtime, { sourceId: one.id, targetId: other.id }),
      () => server.post(`/2/users/${other.id}/following`, { target_user_id: one.id }, other.as),
    )
    expect(answer.status).toBe(403)
    expect(await followCounts(server, one.id)).toEqual([0, 0, '0'])
  })

  test('waits for a follow that is in progress, and ends it', async () => {
    const [one, other] = [await someone(), await someone()]
    const pair = { sourceId: other.id, targetId: one.id }
    await meanwhile(
      (tx, invalidate) => makeFollow(tx, invalidate, server.runtime, pair, { approved: false }),
      () => block(one.id, other.id),
    )
    expect(await rows(server, 'select from follow where source_id = $1', [other.id])).toEqual([])
    expect(await followCounts(server, one.id)).toEqual([0, 0, '0'])
    expect(await followCounts(server, other.id)).toEqual([0, 0, '0'])
  })

  test('through the interface does the same as the command, once in each direction', async () => {
    const [one, other] = [await someone(), await someone()]
    await follow(other.id, one.id)
    const path = `/2/users/${one.id}/blocking`
    const events = await eventsOf(server, async () => {
      for (const _time of [1, 2]) {
        const answer = await server.post(path, { target_user_id: other.id }, one.as)
        expect([answer.status, answer.body]).toEqual([200, { data: { blocking: true } }])
      }
      expect(await standing(server, other.id, one.as)).toEqual(['blocking'])
      for (const _time of [1, 2]) {
        const answer = await server.delete(`${path}/${other.id}`, one.as)
        expect([answer.status, answer.body]).toEqual([200, { data: { blocking: false } }])
      }
    })
    expect(events).toEqual([
      ['block.block', one.id, other.id],
      ['follow.unfollow', other.id, one.id],
      ['block.unblock', one.id, other.id],
    ])
    expect(await standing(server, other.id, one.as)).toEqual([])
  })

  test('through the interface is rejected for the caller, for another path and for unknown users', async () => {
    const [one, other] = [await someone(), await someone()]
    const post = (id: string, target: string) =>
      server.post(`/2/users/${id}/blocking`, { target_user_id: target }, one.as)
    const own = await post(one.id, one.id)
    expect([own.status, own.body.errors[0].message]).toEqual([400, 'You cannot block yourself.'])
    expect((await post(other.id, one.id)).status).toBe(400)
    expect((await post(one.id, '1')).status).toBe(404)
    const scoped = await accessToken(server, 'alice', ['block.read', 'post.read', 'users.read'])
    const path = `/2/users/${server.userId('alice')}/blocking`
    const refused = await server.post(path, { target_user_id: other.id }, { bearer: scoped })
    expect(refused.status).toBe(403)
  })

  test('of oneself is rejected', async () => {
    await expect(block('bob', 'bob')).rejects.toThrow('A user cannot block themselves.')
  })

  test('lists whom the caller blocks, newest first, with base32 tokens, only to the caller', async () => {
    const one = await someone()
    const blocked: string[] = []
    for (const other of [await someone(), await someone(), { id: server.userId('dario') }]) {
      await block(one.id, other.id)
      blocked.unshift(other.id)
    }
    const { ids, tokens } = await walk(server, `/2/users/${one.id}/blocking?max_results=2`, one.as)
    expect(ids).toEqual(blocked)
    expect(tokens).toHaveLength(1)
    expect(tokens[0]).toMatch(/^[A-Z2-7]{13}ZZZ$/)
    expect((await server.get(`/2/users/${one.id}/blocking`, { user: 'alice' })).status).toBe(400)
    expect((await server.get(`/2/users/${one.id}/blocking`, 'app')).status).toBe(403)
    const scoped = await accessToken(server, 'alice', ['block.read', 'post.read', 'users.read'])
    const own = await server.get(`/2/users/${server.userId('alice')}/blocking`, { bearer: scoped })
    expect([own.status, own.body]).toEqual([200, { meta: { result_count: 0 } }])
  })
})
