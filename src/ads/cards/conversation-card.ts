import { Type } from '../../api-kit/declaring/schema.ts'
import { findHashtags } from '../../social/text/find-hashtags.ts'
import type { Tx } from '../../storage/database.ts'
import { mediaKeyKind } from '../creatives/media-library.object.ts'
import { webAddressKind } from '../creatives/web-address.ts'
import { type Change, type Loose, reads, type WriteContext } from '../kit/entity.ts'
import { type AdsError, inclusiveParameters, invalidParameter } from '../kit/errors.ts'
import { type Field, field, text } from '../kit/field.ts'
import { type Kind, textKind } from '../kit/values.ts'
import { type Fit, findLibraryMedia, mediaErrors } from './card-media.ts'
import { typedCardFields } from './typed-card.ts'

const LONGEST_TAG = 20

/** A hashtag, with or without its sign. */
const hashtagKind: Kind<string> = {
  ...textKind({ min: 1, max: LONGEST_TAG + 1 }),
  read: (sent, parameter) => {
    const tag = typeof sent === 'string' ? sent.replace(/^#/, '') : ''
    const [found] = findHashtags(`#${tag}`)
    return found?.end === tag.length + 1 && [...tag].length <= LONGEST_TAG
      ? (sent as string)
      : invalidParameter(
          parameter,
          `must be a hashtag of ${LONGEST_TAG} characters at most, not counting the hash`,
          typeof sent === 'string' ? sent.slice(0, 200) : sent,
        )
  },
}

const FURTHER = ['second', 'third', 'fourth'] as const

const calls: Record<string, Field<string>> = {}
for (const place of FURTHER) {
  const cta = `${place}_cta`
  calls[cta] = field(hashtagKind)
  calls[`${cta}_post`] = text({ min: 1, requiredWhen: [(draft) => draft[cta] !== null, `is needed with ${cta}`] })
}

/** What cards that start conversations have in common. */
export const conversationCardFields = {
  ...typedCardFields,
  title: text({
    min: 1,
    max: 23,
    requiredWhen: [(draft) => draft.second_cta === null, 'one of title and second_cta is needed'],
  }),
  first_cta: field(hashtagKind, { required: true }),
  first_cta_post: text({ min: 1, required: true }),
  ...calls,
  thank_you_text: text({ min: 1, max: 23, required: true }),
  thank_you_url: field(webAddressKind),
  media_key: field(mediaKeyKind, { required: true }),
  // Written by its key, told by its address.
  unlocked_image_media_key: field(mediaKeyKind, { hidden: true }),
}

/** The image for those who posted: where it comes from, and how replies tell it. */
export const unlockedImage = {
  join: 'left join media unlocked on unlocked.media_key = r.unlocked_image_media_key',
  reads: { unlocked_url: reads(textKind(), 'unlocked.url', { hidden: true }) },
  shown: {
    unlocked_image_url: {
      schema: Type.Optional(Type.String()),
      show: ({ unlocked_url }: Loose) => unlocked_url ?? undefined,
    },
  },
}

/** A text to post belongs to a call to action. */
export const callErrors = (draft: Loose, { given }: WriteContext): AdsError[] =>
  FURTHER.flatMap((place) => {
    const cta = `${place}_cta`
    const post = `${cta}_post`
    return given.has(post) && draft[post] !== null && draft[cta] === null
      ? [inclusiveParameters(post, `${post} needs ${cta}`)]
      : []
  })

/** A call to action that was taken away takes its text along. */
export function dropTexts(draft: Loose): void {
  for (const place of FURTHER) if (draft[`${place}_cta`] === null) draft[`${place}_cta_post`] = null
}

/** Checks the media that requests name; a media may be named by its id too, and is kept by its key. */
export async function conversationMediaErrors(
  tx: Tx,
  changes: Change[],
  fits: Record<string, Fit>,
): Promise<AdsError[][]> {
  const named = changes.map(({ kind, record, context }) =>
    kind === 'delete'
      ? []
      : Object.keys(fits).filter((name) => context.given.has(name) && (record[name] ?? null) !== null),
  )
  const names = changes.flatMap(({ record }, at) => named[at]!.map((name) => record[name] as string))
  const known = await findLibraryMedia(tx, changes[0]!.context.account.id, names)
  return changes.map(({ record }, at) =>
    named[at]!.flatMap((name) => {
      const media = known.get(record[name])
      const errors = mediaErrors(media, fits[name]!, name, record[name])
      if (media) record[name] = media.media_key
      return errors
    }),
  )
}
