import { test } from 'rostra/vitest'
import { expect } from 'vitest'
import { publish } from './publish.js'

// Runs at the same time as the other file, in another worker with another world: the same text is not a duplicate here.
test('files do not see each other', async ({ rostra }) => {
  const { accessToken: token } = await rostra.user('alice').oauth2(['post.read', 'post.write', 'users.read'])
  await publish({ url: rostra.url, token }, 'Hello')
  expect(await rostra.requests({ path: '/2/posts' })).toHaveLength(1)
})
