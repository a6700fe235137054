import { ApiError, Client, OAuth1 } from '@xdevplatform/xdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePost } from '../social/acting.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { refusalOf } from './refusal.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await server.command('notes.enrol', { user: 'alice' })
})
afterAll(() => server.close())

function notesOf(username: string): Client['communityNotes'] {
  const keys = server.keysOf(username)
  const oauth1 = new OAuth1({
    apiKey: keys.consumerKey,
    apiSecret: keys.consumerSecret,
    callback: 'oob',
    accessToken: keys.token!,
    accessTokenSecret: keys.tokenSecret!,
  })
  return new Client({ baseUrl: server.baseUrl, oauth1 }).communityNotes
}

test('the library finds a post, evaluates a draft, writes the note, reads it and deletes it', async () => {
  const notes = notesOf('alice')
  const post = await makePost(server, 'bob', { text: 'The bridge was built in 1900' })
  const eligible = await notes.searchEligiblePosts(true, {
    maxResults: 1,
    postSelection: 'feed_size: small, feed_lang: en',
    tweetFields: ['author_id'],
    expansions: ['author_id'],
  })
  expect(eligible.data![0]).toMatchObject({ id: post, authorId: server.userId('bob') })
  expect(eligible.includes!.users).toMatchObject([{ username: 'bob' }])
  const text = 'According to city records, the bridge was built in 1912. https://example.com/bridge'
  const evaluated = await notes.evaluate({ postId: post, noteText: text })
  expect(evaluated.data!.claimOpinionScore).toBeGreaterThan(0)
  const made = await notes.create({
    testMode: true,
    postId: post,
    info: {
      text,
      classification: 'misinformed_or_potentially_misleading',
      misleadingTags: ['factual_error'],
      trustworthySources: true,
    },
  })
  const id = made.data!.id!
  const written = await notes.searchWritten(true, { noteFields: ['status', 'test_result', 'info'] })
  expect(written.data).toMatchObject([
    {
      id,
      postId: post,
      status: 'minimum_ratings_not_met',
      testResult: { evaluatorScoreBucket: 'High', evaluatorType: 'ClaimOpinion' },
      info: { misleadingTags: ['factual_error'] },
    },
  ])
  expect((await notes.delete(id)).data).toMatchObject({ deleted: true })
  const refusal = await refusalOf(ApiError, notesOf('bob').searchWritten(true))
  expect(refusal.status).toBe(403)
})
