import { findMentions } from '../../social/text/find-mentions.ts'
import type { Tx } from '../../storage/database.ts'
import type { Change, Loose, WriteContext } from '../kit/entity.ts'
import { type AdsError, exclusiveParameters, notFound } from '../kit/errors.ts'
import { field, flag, long } from '../kit/field.ts'
import { cardErrors } from './find-card.ts'
import { authorErrors, promotableUsersOf } from './post-authors.ts'
import { cardUriKind, mediaKeysKind, postNameKind, postTextKind } from './post-kinds.ts'
import { inLibrary } from './post-media.ts'
import { textErrors } from './prepare-ads-post.ts'

/** What drafts and scheduled posts have alike. */
export const unsentFields = {
  name: field(postNameKind),
  text: field(postTextKind),
  user_id: long({ readOnly: true, always: true }),
  nullcast: flag({ initial: true }),
  card_uri: field(cardUriKind),
  media_keys: field(mediaKeysKind),
  has_mentions: flag({ readOnly: true, hidden: true }),
}

/** Rules about one post that is not published yet. */
export const unsentErrors = (draft: Loose, { isCreate }: WriteContext): AdsError[] => [
  // On a change the text was not forgotten but taken away.
  ...textErrors({ text: draft.text ?? (isCreate ? null : ''), mediaKeys: draft.media_keys ?? [] }),
  ...(draft.card_uri !== null && draft.media_keys !== null
    ? [exclusiveParameters('card_uri', 'card_uri and media_keys exclude each other')]
    : []),
]

export function deriveUnsent(draft: Loose): void {
  draft.name ||= null
  draft.has_mentions = findMentions(draft.text ?? '').length > 0
}

/** What has to be there: who may post so, the media in the account's library, and the card. */
export async function unsentErrorsInWorld(tx: Tx, { record, context, kind }: Change): Promise<AdsError[]> {
  if (kind === 'delete') return []
  const { account } = context
  const { full } = await promotableUsersOf(tx, account.id)
  const errors = authorErrors(context, full, {
    asUserId: record.user_id,
    nullcast: record.nullcast,
    organicNeedsFull: true,
  })
  if (context.given.has('media_keys')) errors.push(...(await mediaErrors(tx, account.id, record.media_keys ?? [])))
  if (context.given.has('card_uri')) errors.push(...(await cardErrors(tx, account.id, record.card_uri)))
  return errors
}

async function mediaErrors(tx: Tx, accountId: string, keys: readonly string[]): Promise<AdsError[]> {
  const known = await inLibrary(tx, accountId, keys)
  return keys.filter((key) => !known.has(key)).map((key) => notFound('MEDIA_NOT_FOUND', 'media_keys', key))
}
