import { component, Type } from '../../api-kit/declaring/schema.ts'
import { findRecord } from '../kit/entity-operations.ts'
import { defineAdsOperation } from '../kit/operation.ts'
import { decimalKind } from '../kit/values.ts'
import { draftPosts } from './draft-post.entity.ts'
import { previewLink } from './preview-link.ts'
import { DeletedStatus, unsentMembers, unsentPostOperations } from './unsent-post-operations.ts'

/** There are no devices here that could be told of the preview: the answer says where it is. */
const previewDraftPost = defineAdsOperation({
  id: 'previewDraftPost',
  route: 'POST /12/accounts/{account_id}/draft_posts/preview/{draft_post_id}',
  tag: 'Draft Posts',
  summary: 'Preview a draft post',
  path: { draft_post_id: { kind: decimalKind, missing: 'NOT_FOUND' } },
  envelope: 'message',
  may: 'see creatives',
  handle: async (input) => {
    const draft = await findRecord(draftPosts, input as never, false)
    const link = previewLink(input.runtime, { state: 'DRAFT', accountId: input.account.id, id: draft.id })
    return { message: `The preview can be opened for ${link.hours} hours at ${link.url}` }
  },
})

export const draftPostOperations = [
  ...unsentPostOperations({
    entity: draftPosts,
    data: component('DraftPost', Type.Object({ ...unsentMembers, status: DeletedStatus })),
    ids: {
      list: 'listDraftPosts',
      get: 'getDraftPost',
      create: 'createDraftPost',
      update: 'updateDraftPost',
      delete: 'deleteDraftPost',
    },
    userKind: decimalKind,
    whenDeleted: { status: 'DELETED' },
  }),
  previewDraftPost,
]
