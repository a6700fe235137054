import { component, Type, words } from '../../api-kit/declaring/schema.ts'
import { defineAdsEntity } from '../kit/define-entity.ts'
import { filter } from '../kit/field.ts'
import { decimalKind } from '../kit/values.ts'
import { mediaKindErrors } from './post-media.ts'
import { deriveUnsent, unsentErrors, unsentErrorsInDatabase, unsentFields } from './unsent-post.rules.ts'
import { unsentMembers, unsentPostOperations } from './unsent-post-operations.ts'

/** Posts in preparation: they can be previewed and changed, and nothing publishes them. */
export const draftPosts = defineAdsEntity({
  name: 'draft_post',
  plural: 'draft_posts',
  tag: 'Draft Posts',
  component: 'DraftPostRecord',
  table: 'ads_draft_post',
  notFound: 'NOT_FOUND',
  idKind: decimalKind,
  fields: unsentFields,
  filters: { user_id: filter(decimalKind, (placeholder) => `r.user_id = ${placeholder}::bigint`) },
  count: { initial: 100, max: 200 },
  plainList: true,
  may: { see: 'see creatives', manage: 'manage creatives' },
  deletion: 'permanent',
  operations: unsentPostOperations(
    {
      list: 'listDraftPosts',
      get: 'getDraftPost',
      create: 'createDraftPost',
      update: 'updateDraftPost',
      delete: 'deleteDraftPost',
    },
    {
      data: component('DraftPost', Type.Object({ ...unsentMembers, status: Type.Optional(words(['DELETED'])) })),
      userKind: decimalKind,
      whenDeleted: { status: 'DELETED' },
    },
  ),
  check: unsentErrors,
  derive: deriveUnsent,
  checkAll: (tx, changes) =>
    Promise.all(
      changes.map(async (item) => {
        const errors = await unsentErrorsInDatabase(tx, item)
        // Nothing else checks the kinds of a draft's media items; those of a scheduled post are checked on publishing.
        if (errors.length === 0 && item.kind !== 'delete' && item.context.given.has('media_keys'))
          errors.push(...(await mediaKindErrors(tx, item.record.media_keys ?? [])))
        return errors
      }),
    ),
})
