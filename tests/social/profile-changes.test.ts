import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { readCall, UsageError } from '../../src/cli/command-line.ts'
import { userCommands } from '../../src/cli/user-commands.ts'
import { TEST_SECRET_KEY } from '../support/facts.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { makePost, notFoundOnly, readPost } from './acting.ts'
import { eventsOf, followCounts, newUser } from './relating.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const update = (user: string, changes: Record<string, unknown>) => server.command('user.update', { user, ...changes })
const profile = async (id: string, fields: string) =>
  (await server.get(`/2/users/${id}?user.fields=${fields}`)).body.data
let made = 0
const someone = (facts: Record<string, unknown> = {}) => {
  made += 1
  return newUser(server, `person_${made}`, facts)
}

describe('a change of a profile', () => {
  test('is an event for each member that changed, with the old and new value', async () => {
    const one = await someone({ name: 'Before', location: 'Here' })
    const events = await eventsOf(server, () =>
      update(one.id, {
        name: 'After',
        description: 'A new bio',
        location: '',
        profile_image_url: 'https://example.com/me.png',
        profile_banner_url: 'https://example.com/banner.png',
        verified_type: 'business',
      }),
    )
    const change = (field: string, before: string, after: string) => [
      'user.update',
      one.id,
      null,
      { field, before, after },
    ]
    expect(events).toEqual([
      change('name', 'Before', 'After'),
      change('description', '', 'A new bio'),
      change('location', 'Here', ''),
      change('profile_image_url', '', 'https://example.com/me.png'),
      change('profile_banner_url', '', 'https://example.com/banner.png'),
      change('verified_type', 'none', 'business'),
    ])
    expect(await profile(one.id, 'description,location,profile_image_url,profile_banner_url,verified_type')).toEqual({
      id: one.id,
      username: expect.any(String),
      name: 'After',
      description: 'A new bio',
      profile_image_url: 'https://example.com/me.png',
      profile_banner_url: 'https://example.com/banner.png',
      verified_type: 'business',
    })
  })

  test('that changes nothing is not an event', async () => {
    const one = await someone({ name: 'Same', protected: true })
    const again = { name: 'Same', protected: true, suspended: false, verified_type: 'none', location: '' }
    expect(await eventsOf(server, () => update(one.id, again))).toEqual([])
    expect(await eventsOf(server, () => update(one.id, { password: 'another password', geo_enabled: false }))).toEqual(
      [],
    )
  })

  test('removes pictures and the url with an empty text', async () => {
    const one = await someone({ url: 'https://example.com/home' })
    await update(one.id, { profile_image_url: 'https://example.com/a.png' })
    const before = await profile(one.id, 'url,profile_image_url')
    const events = await eventsOf(server, () => update(one.id, { profile_image_url: '', url: '' }))
    expect(events.map(([, , , payload]) => payload)).toEqual([
      { field: 'url', before: before.url, after: '' },
      { field: 'profile_image_url', before: 'https://example.com/a.png', after: '' },
    ])
    expect(Object.keys(await profile(one.id, 'url,profile_image_url')).sort()).toEqual([
      'id',
      'name',
      'profile_image_url',
      'username',
    ])
    await expect(update(one.id, { profile_image_url: 'not an address' })).rejects.toThrow('400')
  })

  test('of the affiliation names the organisation, and null ends it', async () => {
    const [one, club] = [await someone(), await someone({ name: 'The club' })]
    const badge = { badge_url: 'https://example.com/badge.png', description: 'The club' }
    const begun = await eventsOf(server, () => update(one.id, { affiliation: { user_id: [club.id], ...badge } }))
    expect(begun).toEqual([
      ['user.update', one.id, null, { field: 'affiliation', before: '', after: expect.stringContaining(club.id) }],
    ])
    const read = await server.get(`/2/users/${one.id}?user.fields=affiliation&expansions=affiliation.user_id`)
    expect(read.body.data.affiliation).toEqual({ user_id: [club.id], ...badge })
    expect(read.body.includes.users[0].name).toBe('The club')
    const ended = await eventsOf(server, () => update(one.id, { affiliation: null }))
    expect(ended).toEqual([
      ['user.update', one.id, null, { field: 'affiliation', before: expect.stringContaining(club.id), after: '' }],
    ])
    expect((await profile(one.id, 'affiliation')).affiliation).toBeUndefined()
    await expect(update(one.id, { affiliation: { user_id: ['no_such_user'] } })).rejects.toThrow('404')
  })

  test('by several at once is one chain of events: the new value of one is the old value of the next', async () => {
    const one = await someone({ name: 'name 0' })
    const events = await eventsOf(server, () =>
      Promise.all(Array.from({ length: 10 }, (_, index) => update(one.id, { name: `name ${index + 1}` }))),
    )
    const steps = events.map((event) => event[3] as { before: string; after: string })
    expect(steps).toHaveLength(10)
    expect(steps[0]!.before).toBe('name 0')
    for (const [index, step] of steps.slice(1).entries()) expect(step.before).toBe(steps[index]!.after)
    expect((await profile(one.id, 'name')).name).toBe(steps.at(-1)!.after)
  })
})

describe('a new username', () => {
  test('finds the user at once; the old one finds nobody and is free', async () => {
    const one = await newUser(server, 'old_name')
    expect((await server.get('/2/users/by/username/old_name')).status).toBe(200)
    expect((await server.get('/2/users/by/username/new_name')).body).toEqual(notFoundOnly)
    const events = await eventsOf(server, async () =>
      expect(await update('old_name', { username: 'New_Name' })).toMatchObject({ id: one.id, username: 'New_Name' }),
    )
    expect(events).toEqual([
      ['user.update', one.id, null, { field: 'username', before: 'old_name', after: 'New_Name' }],
    ])
    expect((await server.get('/2/users/by/username/new_name')).body.data.id).toBe(one.id)
    expect((await server.get('/2/users/by/username/old_name')).body).toEqual(notFoundOnly)
    expect((await server.get('/2/users/me', one.as)).body.data.username).toBe('New_Name')
    const next = await newUser(server, 'old_name')
    expect((await server.get('/2/users/by/username/old_name')).body.data.id).toBe(next.id)
  })

  test('that another user has, in whatever case, is refused; its own in another case is not', async () => {
    const one = await newUser(server, 'lower_case')
    const events = await eventsOf(server, () =>
      expect(update(one.id, { username: 'ALICE', name: 'Not kept' })).rejects.toThrow('The username ALICE is taken.'),
    )
    expect(events).toEqual([])
    expect((await profile(one.id, 'name')).name).toBe('lower_case')
    expect(await update(one.id, { username: 'Lower_Case' })).toMatchObject({ username: 'Lower_Case' })
    await expect(update(one.id, { username: 'no spaces' })).rejects.toThrow('400')
  })

  test('that two users request at once goes to one of them', async () => {
    const [one, other] = [await someone(), await someone()]
    const results = await Promise.allSettled([one, other].map((user) => update(user.id, { username: 'wanted' })))
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('leaves old mentions as they were written', async () => {
    await newUser(server, 'mentioned_1')
    const id = await makePost(server, 'alice', { text: 'hello @mentioned_1' })
    await update('mentioned_1', { username: 'renamed_1' })
    const post = await readPost(server, id, 'entities')
    expect(post.text).toBe('hello @mentioned_1')
    expect(post.entities.mentions[0].username).toBe('mentioned_1')
  })
})

describe('protection, suspension and verification', () => {
  test('are events when they begin and when they end', async () => {
    const one = await someone()
    const events = await eventsOf(server, async () => {
      await update(one.id, { protected: true })
      await update(one.id, { protected: false })
      await update(one.id, { suspended: true })
      await update(one.id, { suspended: false })
    })
    expect(events).toEqual(
      ['user.protect', 'user.unprotect', 'user.suspend', 'user.unsuspend'].map((type) => [type, one.id, null]),
    )
  })

  test('a verified follower counts as such from the change on, for follows and not for requests', async () => {
    const [one, open, shy] = [await someone(), await someone(), await someone({ protected: true })]
    for (const target of [open, shy])
      await server.post(`/2/users/${one.id}/following`, { target_user_id: target.id }, one.as)
    await update(one.id, { verified_type: 'blue' })
    await update(one.id, { verified_type: 'government' })
    expect(await followCounts(server, open.id)).toEqual([1, 0, '1'])
    expect(await followCounts(server, shy.id)).toEqual([0, 0, '0'])
    await update(one.id, { verified_type: 'none' })
    expect(await followCounts(server, open.id)).toEqual([1, 0, '0'])
  })

  test('a user who becomes verified while following 10 accounts is counted correctly for all of them', async () => {
    const one = await someone()
    const targets: string[] = []
    for (let index = 0; index < 10; index++) targets.push((await someone()).id)
    await Promise.all([
      ...targets.map((target) => server.post(`/2/users/${one.id}/following`, { target_user_id: target }, one.as)),
      update(one.id, { verified_type: 'blue' }),
    ])
    for (const target of targets) expect(await followCounts(server, target)).toEqual([1, 0, '1'])
  })
})

describe('the command user update', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rostra-profile-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Runs it in this process on the database of the test. */
  async function rostra(...args: string[]): Promise<unknown> {
    const { host, port, user, password } = inject('connection')
    const { database } = server.runtime.database.pool.options
    const address = `postgres://${user}:${encodeURIComponent(password ?? '')}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
    const command = userCommands.find((item) => item.name === 'user update')!
    const where = ['--data-dir', folder, '--database-url', address, '--secret-key', TEST_SECRET_KEY]
    const call = readCall(command, [...args, ...where])
    if (call === 'help') throw new Error('the command was not read')
    let printed: unknown
    await command.run({
      ...call,
      print: (result) => {
        printed = result
      },
    })
    await server.command('cache.forget')
    return printed
  }

  test('changes every member of a profile', async () => {
    const [one, club] = [await newUser(server, 'by_command'), await someone()]
    const badge = 'https://example.com/badge.png'
    const texts = ['--username', 'commanded', '--name', 'Commanded', '--description', 'bio', '--location', 'there']
    const links = ['--url', 'https://example.com', '--picture', 'https://example.com/p.png', '--banner', badge]
    const more = ['--affiliation', club.id, '--affiliation-badge', badge]
    expect(await rostra('by_command', ...texts, ...links, ...more)).toMatchObject({ id: one.id, username: 'commanded' })
    const fields = 'description,location,url,profile_image_url,profile_banner_url,affiliation'
    expect(await profile(one.id, fields)).toEqual({
      id: one.id,
      username: 'commanded',
      name: 'Commanded',
      description: 'bio',
      location: 'there',
      url: expect.stringMatching(/^https:/),
      profile_image_url: 'https://example.com/p.png',
      profile_banner_url: badge,
      affiliation: { user_id: [club.id], badge_url: badge },
    })
    await rostra('commanded', '--affiliation', '', '--picture', '')
    expect(Object.keys(await profile(one.id, 'affiliation,profile_image_url')).sort()).toEqual([
      'id',
      'name',
      'profile_image_url',
      'username',
    ])
  })

  test('refuses a badge without an affiliation', async () => {
    const asked = rostra('alice', '--affiliation-badge', 'https://example.com/b.png')
    await expect(asked).rejects.toThrow(new UsageError('--affiliation-badge needs --affiliation.'))
  })
})
