import { findMentions } from '../../social/text/find-mentions.ts'
import type { Tx } from '../../storage/database.ts'
import type { Change, Loose, WriteContext } from '../kit/entity.ts'
import { type AdsFault, exclusiveParameters, notFound } from '../kit/faults.ts'
import { field, flag, long } from '../kit/field.ts'
import { cardFaults } from './find-card.ts'
import { authorFaults, promotableUsersOf } from './post-authors.ts'
import { cardUriKind, mediaKeysKind, postNameKind, postTextKind } from './post-kinds.ts'
import { inLibrary } from './post-media.ts'
import { textFaults } from './prepare-ads-post.ts'

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
export const unsentFaults = (draft: Loose, { isCreate }: WriteContext): AdsFault[] => [
  // On a change the text was not forgotten but taken away.
  ...textFaults({ text: draft.text ?? (isCreate ? null : ''), mediaKeys: draft.media_keys ?? [] }),
  ...(draft.card_uri !== null && draft.media_keys !== null
    ? [exclusiveParameters('card_uri', 'card_uri and media_keys exclude each other')]
    : []),
]

export function deriveUnsent(draft: Loose): void {
  draft.name ||= null
  draft.has_mentions = findMentions(draft.text ?? '').length > 0
}

/** What has to be there: who may post so, the media in the account's library, and the card. */
export async function unsentFaultsInWorld(tx: Tx, { record, context, kind }: Change): Promise<AdsFault[]> {
  if (kind === 'delete') return []
  const { account } = context
  const { full } = await promotableUsersOf(tx, account.id)
  const faults = authorFaults(context, full, {
    asUserId: record.user_id,
    nullcast: record.nullcast,
    organicNeedsFull: true,
  })
  if (context.given.has('media_keys')) faults.push(...(await mediaFaults(tx, account.id, record.media_keys ?? [])))
  if (context.given.has('card_uri')) faults.push(...(await cardFaults(tx, account.id, record.card_uri)))
  return faults
}

async function mediaFaults(tx: Tx, accountId: string, keys: readonly string[]): Promise<AdsFault[]> {
  const known = await inLibrary(tx, accountId, keys)
  return keys.filter((key) => !known.has(key)).map((key) => notFound('MEDIA_NOT_FOUND', 'media_keys', key))
}
