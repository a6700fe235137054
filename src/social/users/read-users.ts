import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { csv } from '../../api-kit/declaring/parameters.ts'
import { listReply, singleReply } from '../../api-kit/declaring/reply.ts'
import { requestedId } from '../../api-kit/reading/read-objects.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerList, answerOne } from '../../api-kit/writing/answer-objects.ts'
import { UserId, UserName } from '../ids.ts'
import { user } from './user.object.ts'
import { usernamePart } from './user.parts.ts'

const auth = { app: true, oauth1: true, oauth2: ['post.read', 'users.read'] }
const limit = { app: '300/15m', user: '900/15m' }
const MAX = 100

export const getUsersByIds = defineOperation({
  id: 'getUsersByIds',
  route: 'GET /2/users',
  tag: 'Users',
  summary: 'Look up users by their ids',
  auth,
  limit,
  query: { ids: csv(UserId, { max: MAX }), ...selects(() => user) },
  reply: listReply('Get2UsersResponse', user),
  handle: ({ query, context }) => answerList(context, query.ids.map(requestedId), query.selection, 'ids'),
})

export const getUsersById = defineOperation({
  id: 'getUsersById',
  route: 'GET /2/users/{id}',
  tag: 'Users',
  summary: 'Look up a user by id',
  auth,
  limit,
  path: { id: UserId },
  query: selects(() => user),
  reply: singleReply('Get2UsersIdResponse', user),
  handle: ({ path, query, context }) => answerOne(context, requestedId(path.id), query.selection, 'id'),
})

export const getUsersByUsernames = defineOperation({
  id: 'getUsersByUsernames',
  route: 'GET /2/users/by',
  tag: 'Users',
  summary: 'Look up users by their usernames',
  auth,
  limit,
  query: { usernames: csv(UserName, { max: MAX }), ...selects(() => user) },
  reply: listReply('Get2UsersByResponse', user),
  handle: async ({ query, context }) => {
    const ids = await context.parts.many(
      usernamePart,
      query.usernames.map((name) => name.toLowerCase()),
    )
    const wanted = query.usernames.map((name) => ({ id: ids.get(name.toLowerCase()), value: name }))
    return answerList(context, wanted, query.selection, 'usernames')
  },
})

export const getUsersByUsername = defineOperation({
  id: 'getUsersByUsername',
  route: 'GET /2/users/by/username/{username}',
  tag: 'Users',
  summary: 'Look up a user by username',
  auth,
  limit,
  path: { username: UserName },
  query: selects(() => user),
  reply: singleReply('Get2UsersByUsernameUsernameResponse', user),
  handle: async ({ path, query, context }) => {
    const id = await context.parts.one(usernamePart, path.username.toLowerCase())
    return answerOne(context, { id, value: path.username }, query.selection, 'username')
  },
})

export const getUsersMe = defineOperation({
  id: 'getUsersMe',
  route: 'GET /2/users/me',
  tag: 'Users',
  summary: 'Look up the user whose credentials are used',
  auth: { oauth1: true, oauth2: ['post.read', 'users.read'] },
  limit: { user: '75/15m' },
  query: selects(() => user),
  reply: singleReply('Get2UsersMeResponse', user),
  handle: ({ query, context, caller }) => {
    const { id } = userOf(caller)
    return answerOne(context, requestedId(id), query.selection, 'id')
  },
})
