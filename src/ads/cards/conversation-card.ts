import { Type } from '../../api-kit/declaring/schema.ts'
import { findHashtags } from '../../social/text/find-hashtags.ts'
import type { Tx } from '../../storage/database.ts'
import { mediaKeyKind } from '../creatives/media-library.object.ts'
import { webAddressKind } from '../creatives/web-address.ts'
import type { DraftOf, RecordChange, WriteContext } from '../kit/entity.ts'
import { type AdsError, inclusiveParameters, invalidParameter } from '../kit/errors.ts'
import { field, reads, text } from '../kit/field.ts'
import { type Kind, textKind } from '../kit/values.ts'
import { type Fit, findLibraryMedia, mediaErrors } from './card-media.ts'
import { typedCardFields } from './typed-card.ts'

const LONGEST_TAG = 20

/** A hashtag, with or without its sign. */
const hashtagKind: Kind<string> = {
  ...textKind({ min: 1, max: LONGEST_TAG + 1 }),
  read: (sent, parameter) => {
    if (typeof sent === 'string') {
      const tag = sent.replace(/^#/, '')
      const [found] = findHashtags(`#${tag}`)
      if (found?.end === tag.length + 1 && [...tag].length <= LONGEST_TAG) return sent
    }
    return invalidParameter(
      parameter,
      `must be a hashtag of at most ${LONGEST_TAG} characters, not counting the hash`,
      typeof sent === 'string' ? sent.slice(0, 200) : sent,
    )
  },
}

/** The members of every conversation card. */
export const conversationCardFields = {
  ...typedCardFields,
  title: text({ min: 1, max: 23 }),
  first_cta: field(hashtagKind, { required: true }),
  first_cta_post: text({ min: 1, required: true }),
  second_cta: field(hashtagKind),
  second_cta_post: text({ min: 1 }),
  third_cta: field(hashtagKind),
  third_cta_post: text({ min: 1 }),
  fourth_cta: field(hashtagKind),
  fourth_cta_post: text({ min: 1 }),
  thank_you_text: text({ min: 1, max: 23, required: true }),
  thank_you_url: field(webAddressKind),
  media_key: field(mediaKeyKind, { required: true }),
  // Sent as a key, shown as an address.
  unlocked_image_media_key: field(mediaKeyKind, { hidden: true }),
}
type Draft = DraftOf<typeof conversationCardFields>

/** The optional calls to action. */
const FURTHER_CALLS = ['second_cta', 'third_cta', 'fourth_cta'] as const

const withCall = (call: (typeof FURTHER_CALLS)[number]) => ({
  holds: (draft: Draft) => draft[call] !== null,
  says: `is needed with ${call}`,
})

/** The rules of every conversation card. */
export const conversationCardRules = {
  requiredWhen: {
    title: {
      holds: (draft: Draft) => draft.second_cta === null,
      says: 'one of title and second_cta is needed',
    },
    second_cta_post: withCall('second_cta'),
    third_cta_post: withCall('third_cta'),
    fourth_cta_post: withCall('fourth_cta'),
  },
  check: callErrors,
  derive: dropTexts,
}

/** A text to post is allowed only with its call to action. */
function callErrors(draft: Draft, { given }: Pick<WriteContext, 'given'>): AdsError[] {
  return FURTHER_CALLS.flatMap((call) => {
    const post = `${call}_post` as const
    return given.has(post) && draft[post] !== null && draft[call] === null
      ? [inclusiveParameters(post, `${post} needs ${call}`)]
      : []
  })
}

/** Clearing a call to action clears its text too. */
function dropTexts(draft: Draft): void {
  for (const call of FURTHER_CALLS) if (draft[call] === null) draft[`${call}_post`] = null
}

/** The image that people see after they have posted. */
export const unlockedImage = {
  join: 'left join media unlocked on unlocked.media_key = r.unlocked_image_media_key',
  reads: { unlocked_url: reads(textKind(), 'unlocked.url', { hidden: true }) },
  shown: {
    unlocked_image_url: {
      schema: Type.Optional(Type.String()),
      show: ({ unlocked_url: url }: { unlocked_url: string | null }) => url ?? undefined,
    },
  },
}

/** A change of a card that names media items in some of its members. */
interface MediaChange<Name extends string> {
  kind: RecordChange['kind']
  record: Record<Name, string | null>
  context: Pick<WriteContext, 'account' | 'given'>
}

/** Checks the media items that requests name. A request may give the id of one; the card keeps its key. */
export async function conversationMediaErrors<Name extends string>(
  tx: Tx,
  changes: MediaChange<NoInfer<Name>>[],
  fits: readonly (readonly [Name, Fit])[],
): Promise<AdsError[][]> {
  const named = changes.map(({ kind, record, context }) =>
    fits.flatMap(([name, fit]) => {
      const given = kind !== 'delete' && context.given.has(name) ? record[name] : null
      return given === null ? [] : [{ name, fit, given }]
    }),
  )
  const found = await findLibraryMedia(
    tx,
    changes[0]!.context.account.id,
    named.flat().map((item) => item.given),
  )
  return changes.map(({ record }, at) =>
    named[at]!.flatMap(({ name, fit, given }) => {
      const media = found.get(given)
      if (media) record[name] = media.media_key
      return mediaErrors(media, fit, name, given)
    }),
  )
}
