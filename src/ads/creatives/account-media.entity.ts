import { defineAdsEntity } from '../kit/define-entity.ts'
import { filter, idsFilter, oneOf, reads, text } from '../kit/field.ts'
import { listKind, oneOfKind, textKind } from '../kit/values.ts'
import { CREATIVE_TYPES } from './creative-types.data.ts'

/** Media items that can be shown other than in posts. `add-account-media.ts` creates them from the media library. */
export const accountMedia = defineAdsEntity({
  name: 'account_media',
  plural: 'account_media',
  tag: 'Account Media',
  component: 'AccountMedia',
  table: 'ads_account_media',
  counted: true,
  notFound: 'ACCOUNT_MEDIA_NOT_FOUND',
  fields: {
    media_key: text({ readOnly: true, hidden: true, always: true }),
    video_id: text({ readOnly: true }),
    creative_type: oneOf(CREATIVE_TYPES, { readOnly: true, always: true }),
  },
  joins: 'left join media m on m.media_key = r.media_key',
  reads: { media_url: reads(textKind(), 'case when r.video_id is null then m.url end') },
  filters: {
    account_media_ids: idsFilter('r.id'),
    creative_types: filter(
      listKind(oneOfKind(CREATIVE_TYPES)),
      (placeholder) => `r.creative_type = any(${placeholder}::text[])`,
    ),
  },
  sorts: ['created_at', 'updated_at', 'deleted'],
  may: { see: 'see creatives', manage: 'manage creatives' },
  operations: { list: 'listAccountMedia', get: 'getAccountMedia', delete: 'deleteAccountMedia' },
})
