import { findMentions } from '../../social/text/find-mentions.ts'
import type { Tx } from '../../storage/database.ts'
import { cardUriKind } from '../cards/card-ids.ts'
import type { DraftOf, RecordChange, WriteContext } from '../kit/entity.ts'
import { type AdsError, exclusiveParameters, notFound } from '../kit/errors.ts'
import { field, flag, long } from '../kit/field.ts'
import { cardErrors } from './find-card.ts'
import { authorErrors, promotableUsersOf } from './post-authors.ts'
import { mediaKeysKind, postNameKind, postTextKind } from './post-kinds.ts'
import { inLibrary } from './post-media.ts'
import { textErrors } from './prepare-ads-post.ts'

/** The members that drafts and scheduled posts have in common. */
export const unsentFields = {
  name: field(postNameKind),
  text: field(postTextKind),
  user_id: long({ readOnly: true, always: true }),
  nullcast: flag({ initial: true }),
  card_uri: field(cardUriKind),
  media_keys: field(mediaKeysKind),
  has_mentions: flag({ readOnly: true, hidden: true }),
}
type Draft = DraftOf<typeof unsentFields>

/** Rules about one post that is not published yet. */
export const unsentErrors = (draft: Draft, { isCreate }: Pick<WriteContext, 'isCreate'>): AdsError[] => [
  // An update without a text has cleared it; a new post without one was never given it.
  ...textErrors({ text: draft.text ?? (isCreate ? null : ''), mediaKeys: draft.media_keys ?? [] }),
  ...(draft.card_uri !== null && draft.media_keys !== null
    ? [exclusiveParameters('card_uri', 'card_uri and media_keys exclude each other')]
    : []),
]

export function deriveUnsent(draft: Draft): void {
  draft.name ||= null
  draft.has_mentions = findMentions(draft.text ?? '').length > 0
}

/** A change of a post that is not published yet. */
export interface UnsentChange {
  kind: RecordChange['kind']
  record: Draft
  context: Pick<WriteContext, 'account' | 'user' | 'given'>
}

/** Rules that need the database: who may post this way, the media items of the account's library, and the card. */
export async function unsentErrorsInDatabase(tx: Tx, { record, context, kind }: UnsentChange): Promise<AdsError[]> {
  if (kind === 'delete') return []
  const { account } = context
  const { full } = await promotableUsersOf(tx, account.id)
  const errors = authorErrors(context, full, {
    asUserId: record.user_id,
    nullcast: record.nullcast,
    organicNeedsFull: true,
  })
  if (context.given.has('media_keys')) errors.push(...(await libraryErrors(tx, account.id, record.media_keys ?? [])))
  if (context.given.has('card_uri')) errors.push(...(await cardErrors(tx, account.id, record.card_uri)))
  return errors
}

async function libraryErrors(tx: Tx, accountId: string, keys: readonly string[]): Promise<AdsError[]> {
  const found = await inLibrary(tx, accountId, keys)
  return keys.filter((key) => !found.has(key)).map((key) => notFound('MEDIA_NOT_FOUND', 'media_keys', key))
}
