import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { csv } from '../../api-kit/declaring/parameters.ts'
import { listReply, singleReply } from '../../api-kit/declaring/reply.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerList, answerOne } from '../../api-kit/writing/answer-objects.ts'
import { MediaKey } from '../ids.ts'
import { media } from './media.object.ts'

const auth = { app: true, oauth1: true, oauth2: ['post.read'] }

export const getMediaByMediaKeys = defineOperation({
  id: 'getMediaByMediaKeys',
  route: 'GET /2/media',
  tag: 'Media',
  summary: 'Look up media items by key',
  auth,
  query: { media_keys: csv(MediaKey, { max: 100 }), ...selects(() => media) },
  reply: listReply('Get2MediaResponse', media),
  handle: ({ query, context }) =>
    answerList(context, query.media_keys.map(requestedKey), query.selection, 'media_keys'),
})

export const getMediaByMediaKey = defineOperation({
  id: 'getMediaByMediaKey',
  route: 'GET /2/media/{media_key}',
  tag: 'Media',
  summary: 'Look up a media item by key',
  auth,
  path: { media_key: MediaKey },
  query: selects(() => media),
  reply: singleReply('Get2MediaMediaKeyResponse', media),
  handle: ({ path, query, context }) => answerOne(context, requestedKey(path.media_key), query.selection, 'media_key'),
})

const requestedKey = (key: string) => ({ id: key, value: key })
