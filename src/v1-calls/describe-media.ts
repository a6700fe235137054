import { Problem } from '../api-kit/writing/problem.ts'
import { legacyNaming } from '../legacy-words.ts'
import { addMetadata } from '../social/media/describe-media.ts'
import { defineV1Operation } from './v1-operation.ts'
import { codedBadRequest, invalidMedia, invalidParameterCode, missingParameter, sentenceOf } from './v1-problems.ts'

const MAX_ALT_TEXT = 1000

export const v1DescribeMedia = defineV1Operation({
  id: 'v1DescribeMedia',
  route: 'POST /1.1/media/metadata/create.json',
  tag: 'Media',
  summary: 'Add alternative text to an uploaded media item',
  limit: { app: '50000/24h', user: '500/15m' },
  params: { media_id: 'The media item', alt_text: 'An object with the member `text`' },
  handle: async ({ request, caller, runtime }) => {
    const { mediaId, text } = readMetadata(request.body)
    try {
      await addMetadata(runtime, caller.user!.id, mediaId, { alt_text: { text } })
    } catch (error) {
      const isMedia = error instanceof Problem && error.body.type === 'invalid-request'
      throw isMedia ? invalidMedia(sentenceOf(error, legacyNaming)) : error
    }
    return {}
  },
})

/** The body is JSON, whatever its content type says: libraries do not agree on one. */
function readMetadata(body: Buffer | undefined): { mediaId: string; text: string } {
  let given: { media_id?: unknown; alt_text?: { text?: unknown } | null }
  try {
    // A media id as a number has more digits than a number of JavaScript keeps.
    given = JSON.parse(String(body ?? '').replace(/("media_id"\s*:\s*)(\d{1,19})(?=\s*[,}])/, '$1"$2"'))
  } catch {
    throw codedBadRequest('The body is not JSON.')
  }
  if (typeof given !== 'object' || given === null) throw codedBadRequest('The body is not a JSON object.')
  const { media_id: mediaId, alt_text: altText } = given
  if (mediaId === undefined) throw missingParameter('media_id')
  if (typeof mediaId !== 'string') throw invalidParameterCode('media_id')
  const text = altText?.text
  if (text === undefined) throw missingParameter('alt_text.text')
  if (typeof text !== 'string' || text.length > MAX_ALT_TEXT || text.includes('\0') || !text.isWellFormed())
    throw invalidParameterCode('alt_text.text', ` It must be a text of at most ${MAX_ALT_TEXT} characters.`)
  return { mediaId, text }
}
