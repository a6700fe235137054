import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { PageMeta, pages } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerKeyedPage } from '../../api-kit/writing/answer-objects.ts'
import { UserId } from '../ids.ts'
import { findReadableUser } from '../users/find-readable-user.ts'
import { user } from '../users/user.object.ts'
import { followers, following } from './follow.statements.ts'

const auth = { app: true, oauth1: true, oauth2: ['follows.read', 'post.read', 'users.read'] }
const limit = { app: '300/15m', user: '300/15m' }
const query = {
  ...pages({ min: 1, max: 1000, initial: 100, token: 'base32', shown: false }),
  ...selects(() => user),
}

export const getUsersFollowing = defineOperation({
  id: 'getUsersFollowing',
  route: 'GET /2/users/{id}/following',
  tag: 'Users',
  summary: 'List the users whom a user follows',
  auth,
  limit,
  path: { id: UserId },
  query,
  reply: listReply('Get2UsersIdFollowingResponse', user, PageMeta),
  handle: async ({ path, query: requested, context, runtime }) => {
    const owner = await findReadableUser(context, path.id)
    return answerKeyedPage(context, runtime, requested, following, owner.id)
  },
})

export const getUsersFollowers = defineOperation({
  id: 'getUsersFollowers',
  route: 'GET /2/users/{id}/followers',
  tag: 'Users',
  summary: 'List the users who follow a user',
  auth,
  limit,
  path: { id: UserId },
  query,
  reply: listReply('Get2UsersIdFollowersResponse', user, PageMeta),
  handle: async ({ path, query: requested, context, runtime }) => {
    const owner = await findReadableUser(context, path.id)
    return answerKeyedPage(context, runtime, requested, followers, owner.id)
  },
})
