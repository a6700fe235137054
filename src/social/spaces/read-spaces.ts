import { defineOperation, userOf } from '../../api-kit/declaring/operation.ts'
import { csv, textParameter, wholeNumber } from '../../api-kit/declaring/parameters.ts'
import { listReply, singleReply } from '../../api-kit/declaring/reply.ts'
import { Type, words } from '../../api-kit/declaring/schema.ts'
import { PageMeta, pages } from '../../api-kit/reading/paging.ts'
import type { ReadContext } from '../../api-kit/reading/read-context.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerKeyedPage, answerList, answerOne, answerPage } from '../../api-kit/writing/answer-objects.ts'
import { notAuthorizedForResource, resourceNotFound } from '../../api-kit/writing/partial-errors.ts'
import { onlyError } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { textWords } from '../../search/post-terms.ts'
import { UserId } from '../ids.ts'
import { post } from '../posts/post.object.ts'
import { user } from '../users/user.object.ts'
import { space, spaceRow, visibleSpaces } from './space.object.ts'
import { buyers, type SpaceRow, spacePosts, spacesFound, spacesOfCreators } from './space.statements.ts'
import { SpaceId } from './space-ids.ts'

const oauth2 = ['space.read', 'post.read', 'users.read']
const auth = { app: true, oauth2 }
const limit = { app: '300/15m', user: '300/15m' }
const MAX = 100
const CountMeta = Type.Pick(PageMeta, ['result_count'])

const requested = (id: string) => ({ id, value: id })

export const getSpacesByIds = defineOperation({
  id: 'getSpacesByIds',
  route: 'GET /2/spaces',
  tag: 'Spaces',
  summary: 'Look up spaces by their ids',
  auth,
  limit,
  query: { ids: csv(SpaceId, { max: MAX }), ...selects(() => space) },
  reply: listReply('Get2SpacesResponse', space),
  handle: ({ query, context }) => answerList(context, query.ids.map(requested), query.selection, 'ids'),
})

export const getSpacesById = defineOperation({
  id: 'getSpacesById',
  route: 'GET /2/spaces/{id}',
  tag: 'Spaces',
  summary: 'Look up a space by id',
  auth,
  limit,
  path: { id: SpaceId },
  query: selects(() => space),
  reply: singleReply('Get2SpacesIdResponse', space),
  handle: ({ path, query, context }) => answerOne(context, requested(path.id), query.selection, 'id'),
})

export const getSpacesByCreatorIds = defineOperation({
  id: 'getSpacesByCreatorIds',
  route: 'GET /2/spaces/by/creator_ids',
  tag: 'Spaces',
  summary: 'List the scheduled and live spaces that some users created',
  auth,
  limit: { app: '300/15m + 1/1s', user: '300/15m + 1/1s' },
  query: { user_ids: csv(UserId, { max: MAX }), ...selects(() => space) },
  reply: listReply('Get2SpacesByCreatorIdsResponse', space, CountMeta),
  handle: async ({ query, context, runtime }) => {
    const found = await spacesOfCreators.all(runtime.database, query.user_ids.filter(isStorableId))
    return answerPage(
      context,
      found.map((row) => row.id),
      query.selection,
      {},
    )
  },
})

const STATES = { live: ['live'], scheduled: ['scheduled'], all: ['live', 'scheduled'] }

export const searchSpaces = defineOperation({
  id: 'searchSpaces',
  route: 'GET /2/spaces/search',
  tag: 'Spaces',
  summary: 'Find scheduled and live spaces by words of their title',
  auth,
  limit,
  query: {
    query: textParameter(Type.String({ minLength: 1, maxLength: 2048 }), { required: true }),
    state: textParameter({ ...words(['live', 'scheduled', 'all']), default: 'all' }, { initial: 'all' }),
    max_results: wholeNumber({ min: 1, max: MAX }, { initial: MAX }),
    ...selects(() => space),
  },
  reply: listReply('Get2SpacesSearchResponse', space, CountMeta),
  handle: async ({ query, context, runtime }) => {
    const wanted = [...new Set(textWords(query.query))]
    const found =
      wanted.length === 0
        ? []
        : await spacesFound.all(runtime.database, wanted, STATES[query.state ?? 'all'], query.max_results)
    return answerPage(
      context,
      found.map((row) => row.id),
      query.selection,
      {},
    )
  },
})

/** The space whose lists a request reads. If the caller may not see it, or there is none, the answer has only the error. */
async function findSpace(context: ReadContext, id: string): Promise<SpaceRow> {
  const row = await context.parts.one(spaceRow, id)
  if (!row) throw onlyError(resourceNotFound('space', 'id', id))
  if ((await visibleSpaces(context, [row])).has(id)) return row
  throw onlyError(notAuthorizedForResource('space', 'id', id, 'data'), 'the caller may not see the space')
}

export const getSpacesBuyers = defineOperation({
  id: 'getSpacesBuyers',
  route: 'GET /2/spaces/{id}/buyers',
  tag: 'Spaces',
  summary: 'List the users who bought a ticket of a space of the caller',
  auth: { oauth2 },
  limit,
  path: { id: SpaceId },
  query: { ...pages({ min: 1, max: MAX, initial: MAX, token: 'base32' }), ...selects(() => user) },
  reply: listReply('Get2SpacesIdBuyersResponse', user, PageMeta),
  handle: async ({ path, query, caller, context, runtime }) => {
    const row = await findSpace(context, path.id)
    if (row.creator_id !== userOf(caller).id)
      throw onlyError(
        notAuthorizedForResource('space', 'id', path.id, 'data'),
        'only the creator of a space may see who bought tickets',
      )
    return answerKeyedPage(context, runtime, query, buyers, row.id)
  },
})

export const getSpacesPosts = defineOperation({
  id: 'getSpacesPosts',
  route: 'GET /2/spaces/{id}/posts',
  tag: 'Spaces',
  summary: 'List the posts that were shared in a space',
  auth,
  limit,
  path: { id: SpaceId },
  query: { max_results: wholeNumber({ min: 1, max: MAX }, { initial: MAX }), ...selects(() => post) },
  reply: listReply('Get2SpacesIdPostsResponse', post, PageMeta),
  handle: async ({ path, query, context, runtime }) => {
    const row = await findSpace(context, path.id)
    const found = await spacePosts.all(runtime.database, row.id, query.max_results)
    return answerPage(
      context,
      found.map((item) => item.id),
      query.selection,
      {},
    )
  },
})
