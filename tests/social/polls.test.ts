import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedIn } from '../pages/signed-in.ts'
import type { Browser } from '../support/browser.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { forbidden, makePost, rows } from './acting.ts'
import { type Member, makeCrowd } from './crowd.ts'

let server: TestServer
let crowd: Member[]
let alice: Browser
let bob: Browser
beforeAll(async () => {
  server = await startTestServer()
  crowd = await makeCrowd(server, 8)
  alice = await signedIn(server, 'alice')
  bob = await signedIn(server, 'bob')
})
afterAll(() => server.close())

let asked = 0
const ask = (user = 'alice', options = ['One', 'Two', 'Three']) => {
  asked += 1
  return makePost(server, user, { text: `Which of these, ${asked}?`, poll: { options, duration_minutes: 60 } })
}
const votesOf = async (id: string): Promise<number[]> => {
  const read = await server.get(`/2/posts/${id}?expansions=attachments.poll_ids`)
  return read.body.includes.polls[0].options.map((option: { votes: number }) => option.votes)
}
const vote = (user: string, post: string, option: number) => server.tryCommand('poll.vote', { user, post, option })

describe('a vote', () => {
  test('is counted once for each user, also when all vote at the same moment', async () => {
    const id = await ask()
    expect(await votesOf(id)).toEqual([0, 0, 0])
    const answers = await Promise.all(
      crowd.flatMap(({ username }, index) => [
        vote(username, id, (index % 2) + 1),
        vote(username, id, (index % 2) + 1),
      ]),
    )
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200))
    expect(await votesOf(id)).toEqual([4, 4, 0])
    const different = await Promise.all([1, 2, 3].map((option) => vote('bob', id, option)))
    expect(different.map((answer) => answer.status).toSorted()).toEqual([200, 403, 403])
    expect((await votesOf(id)).reduce((sum, count) => sum + count)).toBe(9)
  })

  test('for another option is refused, because a vote cannot be changed', async () => {
    const id = await ask()
    expect((await vote('bob', id, 1)).body).toMatchObject({ user: 'bob', option: 1, votes: [1, 0, 0] })
    const again = await vote('bob', id, 2)
    expect(again.status).toBe(403)
    expect(again.body).toEqual(forbidden('You have already voted in this poll, and a vote cannot be changed.'))
    expect(await votesOf(id)).toEqual([1, 0, 0])
  })

  test('is refused for an option, a post or a poll that is not there', async () => {
    const id = await ask('alice', ['One', 'Two'])
    const third = await vote('bob', id, 3)
    expect(third.status).toBe(400)
    expect(third.text).toContain('option is not one of [1,2]')
    const plain = await makePost(server, 'alice', { text: 'nothing to vote for' })
    expect((await vote('bob', plain, 1)).text).toContain('has no poll')
    expect((await vote('bob', '999', 1)).status).toBe(404)
    await server.delete(`/2/posts/${id}`, { user: 'alice' })
    expect((await vote('bob', id, 1)).status).toBe(404)
    expect(
      await rows(server, 'select from poll_vote v where not exists (select from poll p where p.id = v.poll_id)'),
    ).toEqual([])
  })

  test('is refused to users who may not see the post, and to suspended ones', async () => {
    const hidden = await ask('erin')
    expect((await vote(crowd[2]!.username, hidden, 1)).status).toBe(403)
    const id = await ask('dario')
    await server.command('relation.add', { kind: 'block', source: 'dario', target: crowd[0]!.username })
    expect((await vote(crowd[0]!.username, id, 1)).status).toBe(403)
    await server.command('user.update', { user: crowd[1]!.username, suspended: true })
    expect((await vote(crowd[1]!.username, id, 1)).status).toBe(403)
    expect(await votesOf(id)).toEqual([0, 0, 0])
  })

  test('is kept by a snapshot', async () => {
    const id = await ask()
    await vote('bob', id, 2)
    await server.command('snapshot.save', { name: 'voted' })
    await vote('chika', id, 2)
    await server.command('snapshot.restore', { name: 'voted' })
    expect(await votesOf(id)).toEqual([0, 1, 0])
    expect((await vote('bob', id, 1)).status).toBe(403)
    expect((await vote('chika', id, 1)).status).toBe(200)
  })
})

describe('on the pages', () => {
  test('a form votes, and the results are shown afterwards', async () => {
    const id = await ask('alice', ['<b>One</b>', 'Two'])
    const before = await bob.open(`/alice/status/${id}`)
    expect(before.text).not.toContain('<meter')
    expect(before.text).not.toContain('<b>One</b>')
    const after = await bob.submit(before, 'option', { option: '1' })
    expect(after.address).toBe(`/alice/status/${id}`)
    expect(after.text).toContain('your vote')
    expect(after.text).toContain('100 %')
    expect(after.forms.some(({ action }) => action.endsWith('/vote'))).toBe(false)
    const again = await bob.post('/i/actions/vote', { csrf: before.forms[0]!.fields.csrf!, post_id: id, option: '2' })
    expect(again.status).toBe(403)
    expect(await votesOf(id)).toEqual([1, 0])
  })

  test('the poll of a reposted post can be voted in, and a script gets the results', async () => {
    const id = await ask('chika')
    await server.post(`/2/users/${server.userId('alice')}/reposts`, { post_id: id }, { user: 'alice' })
    const profile = await bob.open('/alice')
    const form = profile.forms.find(({ fields, action }) => action.endsWith('/vote') && fields.post_id === id)!
    const sent = await fetch(`${server.baseUrl}/i/actions/vote`, {
      method: 'POST',
      headers: { accept: 'application/json', cookie: [...bob.cookies].map((pair) => pair.join('=')).join('; ') },
      body: new URLSearchParams({ ...form.fields, option: '3' }),
    })
    expect(await sent.json()).toMatchObject({ ok: true, html: expect.stringContaining('your vote') })
    expect(await votesOf(id)).toEqual([0, 0, 1])
  })

  test('an ended poll shows its results to those who did not vote, and takes no vote', async () => {
    const id = await ask()
    await vote('bob', id, 2)
    await server.command('clock', { advance: '2h' })
    const page = await alice.open(`/alice/status/${id}`)
    expect(page.text).toContain('100 %')
    expect(page.text).not.toContain('your vote')
    const late = await vote('chika', id, 1)
    expect(late.body).toEqual(forbidden('This poll has ended.'))
    await server.command('clock', { reset: true })
  })
})
