import { test } from 'rostra/vitest'
import { expect } from 'vitest'
import { publish } from './publish.js'

const SCOPES = ['post.read', 'post.write', 'users.read']

test('a post is written once, although the server fails twice', async ({ rostra }) => {
  const { accessToken: token } = await rostra.user('alice').oauth2(SCOPES)
  await rostra.fault({ match: 'POST /2/posts', times: 2, status: 503 })
  const id = await publish({ url: rostra.url, token }, 'Hello')
  expect(id).toMatch(/^\d+$/)
  const requests = await rostra.requests({ method: 'POST', path: '/2/posts' })
  expect(requests.map((request) => request.status)).toEqual([503, 503, 201])
})

test('it gives up after three tries', async ({ rostra }) => {
  const { accessToken: token } = await rostra.user('alice').oauth2(SCOPES)
  await rostra.fault({ match: 'POST /2/posts', status: 503 })
  await expect(publish({ url: rostra.url, token }, 'Hello')).rejects.toThrow('503')
})

test('a token that has expired is not tried again', async ({ rostra }) => {
  const { accessToken: token } = await rostra.user('alice').oauth2(SCOPES)
  await rostra.clock.advance('3h')
  await expect(publish({ url: rostra.url, token }, 'Hello')).rejects.toThrow('401')
})
