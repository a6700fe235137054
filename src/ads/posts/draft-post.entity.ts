import { defineAdsEntity, filter } from '../kit/entity.ts'
import { decimalKind } from '../kit/values.ts'
import { wholeKindErrors } from './post-media.ts'
import { deriveUnsent, unsentErrors, unsentErrorsInWorld, unsentFields } from './unsent-post.rules.ts'

/** Posts that are thought of: they can be looked at and changed, and nothing publishes them. */
export const draftPosts = defineAdsEntity({
  name: 'draft_post',
  plural: 'draft_posts',
  tag: 'Draft Posts',
  component: 'DraftPostRecord',
  table: 'ads_draft_post',
  notFound: 'NOT_FOUND',
  idKind: decimalKind,
  fields: unsentFields,
  filters: { user_id: filter(decimalKind, (place) => `r.user_id = ${place}::bigint`) },
  count: { initial: 100, max: 200 },
  plainList: true,
  may: { see: 'see creatives', manage: 'manage creatives' },
  deletion: 'permanent',
  operations: {},
  check: unsentErrors,
  derive: deriveUnsent,
  checkAll: (tx, changes) =>
    Promise.all(
      changes.map(async (item) => {
        const errors = await unsentErrorsInWorld(tx, item)
        // Nothing else looks at the kinds of a draft's media; those of a scheduled post are looked at when it is published.
        if (errors.length === 0 && item.kind !== 'delete' && item.context.given.has('media_keys'))
          errors.push(...(await wholeKindErrors(tx, item.record.media_keys ?? [])))
        return errors
      }),
    ),
})
