import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { PageMeta, pages } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerKeyedPage } from '../../api-kit/writing/answer-objects.ts'
import { UserId } from '../ids.ts'
import { checkOwnPath } from '../own-path.ts'
import { user } from '../users/user.object.ts'
import { blocking } from './block.statements.ts'

export const getUsersBlocking = defineOperation({
  id: 'getUsersBlocking',
  route: 'GET /2/users/{id}/blocking',
  tag: 'Users',
  summary: 'List the users whom the caller blocks',
  auth: { oauth1: true, oauth2: ['block.read', 'post.read', 'users.read'] },
  limit: { user: '15/15m' },
  path: { id: UserId },
  query: {
    ...pages({ min: 1, max: 1000, initial: 100, token: 'base32', shown: false }),
    ...selects(() => user),
  },
  reply: listReply('Get2UsersIdBlockingResponse', user, PageMeta),
  handle: async ({ path, query, caller, context, runtime }) => {
    checkOwnPath(caller, path.id)
    return answerKeyedPage(context, runtime, query, blocking, path.id)
  },
})
