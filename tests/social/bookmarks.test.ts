import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBookmarkFolder, fileBookmark } from '../../src/social/bookmarks/bookmark-folders.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { forbidden, invalidRequest, makePost, readPost, rows } from './acting.ts'
import { bookmarking, walk, whileDeleted } from './crowd.ts'

let server: TestServer
let alice: As
let bob: As
let chika: As
beforeAll(async () => {
  server = await startTestServer()
  alice = await bookmarking(server, 'alice')
  bob = await bookmarking(server, 'bob')
  chika = await bookmarking(server, 'chika')
})
afterAll(() => server.close())

const listOf = (username: string) => `/2/users/${server.userId(username)}/bookmarks`
const mark = (username: string, as: As, postId: string) => server.post(listOf(username), { post_id: postId }, as)
const unmark = (username: string, as: As, postId: string) => server.delete(`${listOf(username)}/${postId}`, as)
const markCount = async (id: string) => (await readPost(server, id, 'public_metrics')).public_metrics.bookmark_count

describe('a bookmark', () => {
  test('is created, counted, listed for its owner, and removed', async () => {
    const id = await makePost(server, 'bob', { text: 'keep me' })
    const made = await mark('alice', alice, id)
    expect(made.status).toBe(200)
    expect(made.body).toEqual({ data: { bookmarked: true } })
    expect(await markCount(id)).toBe(1)
    expect((await server.get(listOf('alice'), alice)).body).toEqual({
      data: [{ id, text: 'keep me' }],
      meta: { result_count: 1 },
    })
    const gone = await unmark('alice', alice, id)
    expect(gone.status).toBe(200)
    expect(gone.body).toEqual({ data: { bookmarked: false } })
    expect(await markCount(id)).toBe(0)
    expect((await server.get(listOf('alice'), alice)).body).toEqual({ meta: { result_count: 0 } })
  })

  test('created or removed again gives the same answer and is counted once', async () => {
    const id = await makePost(server, 'bob', { text: 'again and again' })
    for (let times = 0; times < 3; times++) expect((await mark('alice', alice, id)).status).toBe(200)
    expect(await markCount(id)).toBe(1)
    for (let times = 0; times < 3; times++)
      expect((await unmark('alice', alice, id)).body).toEqual({ data: { bookmarked: false } })
    expect(await markCount(id)).toBe(0)
  })

  test.each(['1', '9999999999999999999'])('of the unknown post %s is a 404; removing it is not', async (id) => {
    expect((await mark('alice', alice, id)).status).toBe(404)
    expect((await unmark('alice', alice, id)).body).toEqual({ data: { bookmarked: false } })
  })

  test('of a post that the caller cannot see is rejected with a reason', async () => {
    await server.command('user.create', { username: 'shy', protected: true })
    const { apps } = await server.command('app.list')
    const pair = await server.command('user.token', { user: 'shy', app: apps[0].id })
    const app = server.credentials.apps[0]!
    const keys = {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: pair.access_token,
      tokenSecret: pair.access_token_secret,
    }
    const id = await makePost(server, { keys }, { text: 'not yours to keep' })
    const answer = await mark('alice', alice, id)
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual(forbidden(`Sorry, you are not authorized to see the Post with post_id: [${id}].`))
    expect(await rows(server, 'select 1 from bookmark where post_id = $1', [id])).toEqual([])
  })

  test('of a post that is deleted at the same moment is a 404', async () => {
    const id = await makePost(server, 'bob', { text: 'gone in the same moment' })
    const answer = await whileDeleted(server, id, () => mark('alice', alice, id))
    expect(answer.status).toBe(404)
    expect(answer.body).toMatchObject({ parameter: 'post_id', resource_id: id, title: 'Not Found Error' })
    expect(await rows(server, 'select 1 from bookmark where post_id = $1', [id])).toEqual([])
  })

  test('accepts only OAuth 2.0', async () => {
    const id = await makePost(server, 'bob', { text: 'by which credential' })
    for (const as of [{ user: 'alice' }, 'app' as const]) {
      for (const answer of [
        await mark('alice', as, id),
        await unmark('alice', as, id),
        await server.get(listOf('alice'), as),
        await server.get(`${listOf('alice')}/folders`, as),
        await server.get(`${listOf('alice')}/folders/1`, as),
      ]) {
        expect(answer.status).toBe(403)
        expect(answer.body.type).toBe(`${server.runtime.problemBase}/unsupported-authentication`)
      }
    }
  })

  test('of another user can be neither created, nor removed, nor read', async () => {
    const id = await makePost(server, 'bob', { text: 'private matters' })
    const [own, other] = [server.userId('alice'), server.userId('bob')]
    const message = `The \`id\` query parameter value [${other}] must be the same as the authenticating user [${own}]`
    for (const answer of [
      await mark('bob', alice, id),
      await unmark('bob', alice, id),
      await server.get(listOf('bob'), alice),
      await server.get(`${listOf('bob')}/folders`, alice),
      await server.get(`${listOf('bob')}/folders/1`, alice),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual(invalidRequest(server, { parameters: { id: [other] }, message }))
    }
  })

  test('by twenty requests of three users at the same moment is counted once for each', async () => {
    const id = await makePost(server, 'bob', { text: 'many hands' })
    const callers = [
      ['alice', alice],
      ['bob', bob],
      ['chika', chika],
    ] as const
    const each = (act: typeof mark, from: number) =>
      Promise.all(
        Array.from({ length: 21 }, (_none, index) => callers[from + (index % (3 - from))]!).map(([name, as]) =>
          act(name, as, id),
        ),
      )
    await each(mark, 0)
    expect(await markCount(id)).toBe(3)
    await each(unmark, 1)
    expect(await markCount(id)).toBe(1)
  })
})

describe('the list of bookmarks', () => {
  test('is ordered by the time of the bookmark, newest first, page by page and back', async () => {
    const posts: string[] = []
    for (let index = 0; index < 7; index++) posts.push(await makePost(server, 'bob', { text: `page ${index}` }))
    // The posts have a different order than the bookmarks.
    const marked = [3, 0, 6, 1, 5, 2, 4].map((index) => posts[index]!)
    for (const id of marked) await mark('chika', chika, id)
    const path = `${listOf('chika')}?max_results=3`
    expect(await walk(server, path, chika)).toEqual({ ids: marked.toReversed(), pages: 3 })
    const first = await server.get(path, chika)
    const second = await server.get(`${path}&pagination_token=${first.body.meta.next_token}`, chika)
    const back = await server.get(`${path}&pagination_token=${second.body.meta.previous_token}`, chika)
    expect(back.body.data).toEqual(first.body.data)
  })

  test('leaves out posts that can no longer be seen, and shows them again when they can', async () => {
    const id = await makePost(server, 'dario', { text: 'now and then' })
    await mark('bob', bob, id)
    const seen = async () => (await server.get(listOf('bob'), bob)).body.meta.result_count
    const before = await seen()
    await server.command('user.update', { user: 'dario', suspended: true })
    expect(await seen()).toBe(before - 1)
    await server.command('user.update', { user: 'dario', suspended: false })
    await server.command('relation.add', { kind: 'block', source: 'dario', target: 'bob' })
    expect(await seen()).toBe(before - 1)
    await server.command('relation.remove', { kind: 'block', source: 'dario', target: 'bob' })
    expect(await seen()).toBe(before)
  })
})

describe('folders', () => {
  const folders = (username: string) => `${listOf(username)}/folders`

  test('are none at first, then listed newest first, page by page', async () => {
    expect((await server.get(folders('bob'), bob)).body).toEqual({ data: [], meta: {} })
    const made: { id: string; name: string }[] = []
    for (const name of ['Reading', 'Maps', 'Maps'])
      made.unshift(await createBookmarkFolder(server.runtime, server.userId('bob'), name))
    expect((await server.get(folders('bob'), bob)).body).toEqual({ data: made, meta: {} })
    const ids = made.map((folder) => folder.id)
    expect(await walk(server, `${folders('bob')}?max_results=2`, bob)).toEqual({ ids, pages: 2 })
  })

  test('contain the bookmarks that were moved into them, as bare ids', async () => {
    const folder = await createBookmarkFolder(server.runtime, server.userId('alice'), 'Later')
    const ids: string[] = []
    for (let index = 0; index < 5; index++) {
      const id = await makePost(server, 'bob', { text: `filed ${index}` })
      await mark('alice', alice, id)
      await fileBookmark(server.runtime, server.userId('alice'), id, folder.id)
      ids.unshift(id)
    }
    const path = `${folders('alice')}/${folder.id}`
    expect((await server.get(path, alice)).body).toEqual({ data: ids.map((id) => ({ id })), meta: {} })
    expect(await walk(server, `${path}?max_results=2`, alice)).toEqual({ ids, pages: 3 })
    await fileBookmark(server.runtime, server.userId('alice'), ids[0]!, null)
    await unmark('alice', alice, ids[1]!)
    expect((await server.get(path, alice)).body.data).toEqual(ids.slice(2).map((id) => ({ id })))
    expect((await server.get(listOf('alice'), alice)).body.data.map((post: { id: string }) => post.id)).toContain(
      ids[0],
    )
  })

  test('leave out posts that can no longer be seen', async () => {
    const folder = await createBookmarkFolder(server.runtime, server.userId('alice'), 'Seen')
    const id = await makePost(server, 'dario', { text: 'seen no more' })
    await mark('alice', alice, id)
    await fileBookmark(server.runtime, server.userId('alice'), id, folder.id)
    await server.command('user.update', { user: 'dario', suspended: true })
    expect((await server.get(`${folders('alice')}/${folder.id}`, alice)).body).toEqual({ data: [], meta: {} })
    await server.command('user.update', { user: 'dario', suspended: false })
  })

  test('are created by their owner, with names of 1 to 25 characters', async () => {
    const made = await server.post(folders('chika'), { name: 'Recipes' }, chika)
    expect(made.status).toBe(201)
    expect(made.body).toEqual({ data: { id: expect.stringMatching(/^\d+$/), name: 'Recipes' } })
    expect((await server.get(folders('chika'), chika)).body.data).toEqual([made.body.data])
    for (const body of [{}, { name: '' }, { name: 'n'.repeat(26) }, { name: 'a', posts: [] }])
      expect((await server.post(folders('chika'), body, chika)).status).toBe(400)
    expect((await server.post(folders('bob'), { name: 'Mine' }, chika)).status).toBe(400)
    expect((await server.post(folders('chika'), { name: 'Mine' }, { user: 'chika' })).status).toBe(403)
    expect((await server.get(folders('chika'), chika)).body.data).toHaveLength(1)
  })

  test('of another user, and folders that never existed, are a 404', async () => {
    const folder = await createBookmarkFolder(server.runtime, server.userId('bob'), 'Private')
    for (const id of [folder.id, '1', '9999999999999999999']) {
      const answer = await server.get(`${folders('alice')}/${id}`, alice)
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({
        detail: `The user has no bookmark folder [${id}].`,
        title: 'Not Found',
        type: 'about:blank',
        status: 404,
      })
    }
    const id = await makePost(server, 'bob', { text: 'not into the folder of another' })
    await mark('alice', alice, id)
    await expect(fileBookmark(server.runtime, server.userId('alice'), id, folder.id)).rejects.toThrow('HTTP 404')
    await expect(fileBookmark(server.runtime, server.userId('bob'), id, folder.id)).rejects.toThrow('HTTP 404')
  })
})

describe('a bookmarked post that is edited', () => {
  const edited = (previous: string, text: string) =>
    makePost(server, 'alice', { text, edit_options: { previous_post_id: previous } })
  const listed = async (path: string) =>
    (await server.get(path, bob)).body.data.map((item: { id: string }) => item.id) as string[]

  test('is listed in its newest version, once, also in its folder, and removed by the id of that version', async () => {
    const folder = await createBookmarkFolder(server.runtime, server.userId('bob'), 'Edited')
    const inFolder = `${listOf('bob')}/folders/${folder.id}`
    const first = await makePost(server, 'alice', { text: 'kept at first' })
    await mark('bob', bob, first)
    const second = await edited(first, 'kept at second')
    // Clients see the newest version in the list of bookmarks.
    await fileBookmark(server.runtime, server.userId('bob'), second, folder.id)
    const others = (await listed(listOf('bob'))).filter((id) => id !== second)
    expect(await listed(listOf('bob'))).toEqual([second, ...others])
    expect(others).not.toContain(first)
    expect(await listed(inFolder)).toEqual([second])
    await mark('bob', bob, second)
    expect(await listed(listOf('bob'))).toEqual([second, ...others])
    expect(await listed(inFolder)).toEqual([second])
    const third = await edited(second, 'kept at third')
    expect(await listed(listOf('bob'))).toEqual([third, ...others])
    expect((await unmark('bob', bob, third)).body).toEqual({ data: { bookmarked: false } })
    expect(await listed(listOf('bob'))).toEqual(others)
    expect([await markCount(first), await markCount(second)]).toEqual([0, 0])
  })
})
