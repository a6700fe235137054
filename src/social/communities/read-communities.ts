import { defineObject, staticField } from '../../api-kit/declaring/object.ts'
import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { textParameter } from '../../api-kit/declaring/parameters.ts'
import { listReply, singleReply } from '../../api-kit/declaring/reply.ts'
import { Count, DateTime, Type, words } from '../../api-kit/declaring/schema.ts'
import { PageMeta, pages, readPage } from '../../api-kit/reading/paging.ts'
import { requestedId } from '../../api-kit/reading/read-objects.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerOne, answerPage } from '../../api-kit/writing/answer-objects.ts'
import { otherNotFound } from '../../api-kit/writing/partial-errors.ts'
import { onlyError } from '../../api-kit/writing/problems.ts'
import { wireTime } from '../../process/clock.ts'
import { isStorableId } from '../../process/ids.ts'
import { textWords } from '../../search/post-terms.ts'
import { CommunityId } from '../ids.ts'
import { communityRow } from './community.parts.ts'
import { communitiesNewer, communitiesOlder } from './community.statements.ts'

const ACCESS = ['Public', 'Closed'] as const
export const JOIN_POLICIES = [
  'Open',
  'RestrictedJoinRequestsDisabled',
  'RestrictedJoinRequestsRequireAdminApproval',
  'RestrictedJoinRequestsRequireModeratorApproval',
  'SuperFollowRequired',
] as const
export const Access = words(ACCESS)
export const JoinPolicy = words(JOIN_POLICIES)

const Text = Type.String()

/** The object `community` of the interface. */
const community = defineObject({
  name: 'community',
  // Problems cannot name communities, so a community that does not exist is refused before it is read.
  resource: 'list',
  plural: 'communities',
  component: 'Community',
  always: ['id', 'name'],
  existence: communityRow,
  fields: {
    id: staticField(communityRow, CommunityId, (row) => row.id),
    name: staticField(communityRow, Text, (row) => row.name),
    description: staticField(communityRow, Text, (row) => (row.description === '' ? undefined : row.description)),
    access: staticField(communityRow, Access, (row) => row.access as 'Public'),
    join_policy: staticField(communityRow, JoinPolicy, (row) => row.join_policy as 'Open'),
    member_count: staticField(communityRow, Count, (row) => row.member_count),
    created_at: staticField(communityRow, DateTime, (row) => wireTime(row.created_at.getTime())),
  },
})

const limit = { app: '300/15m', user: '300/15m' }

export const getCommunitiesById = defineOperation({
  id: 'getCommunitiesById',
  route: 'GET /2/communities/{id}',
  tag: 'Communities',
  summary: 'Look up a community by id',
  auth: { app: true, oauth1: true, oauth2: ['list.read', 'post.read', 'users.read'] },
  limit,
  path: { id: CommunityId },
  query: selects(() => community),
  reply: singleReply('Get2CommunitiesIdResponse', community),
  handle: async ({ path, query, context }) => {
    const row = isStorableId(path.id) ? await context.parts.one(communityRow, path.id) : undefined
    if (!row) throw onlyError(otherNotFound('community', 'id', path.id))
    return answerOne(context, requestedId(path.id), query.selection, 'id')
  },
})

export const searchCommunities = defineOperation({
  id: 'searchCommunities',
  route: 'GET /2/communities/search',
  tag: 'Communities',
  summary: 'Find communities by words of their name and description',
  auth: { oauth1: true, oauth2: ['post.read', 'users.read'] },
  limit,
  query: {
    query: textParameter(Type.String({ minLength: 1, maxLength: 4096 }), { required: true }),
    ...pages({ min: 10, max: 100, initial: 10, token: 'base36', names: ['next_token', 'pagination_token'] }),
    ...selects(() => community),
  },
  reply: listReply('Get2CommunitiesSearchResponse', community, Type.Pick(PageMeta, ['next_token'])),
  handle: async ({ query, context, runtime }) => {
    const wanted = [...new Set(textWords(query.query))]
    const statements = { older: communitiesOlder, newer: communitiesNewer }
    const { items, meta } = await readPage(
      query.page,
      async ({ direction, key, limit: most }) =>
        wanted.length === 0 ? [] : statements[direction].all(runtime.database, wanted, key, most),
      (item) => item.id,
    )
    return answerPage(
      context,
      items.map((item) => item.id),
      query.selection,
      meta.next_token === undefined ? {} : { next_token: meta.next_token },
      { counted: false },
    )
  },
})
