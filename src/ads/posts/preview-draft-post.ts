import { findRecord } from '../kit/entity-operations.ts'
import { defineAdsOperation } from '../kit/operation.ts'
import { decimalKind } from '../kit/values.ts'
import { draftPosts } from './draft-post.entity.ts'
import { previewLink } from './preview-link.ts'

/** The platform sends the preview to the user's devices. There are none here, so the answer says where it is. */
export const previewDraftPost = defineAdsOperation({
  id: 'previewDraftPost',
  route: 'POST /12/accounts/{account_id}/draft_posts/preview/{draft_post_id}',
  tag: 'Draft Posts',
  summary: 'Preview a draft post',
  path: { draft_post_id: { kind: decimalKind, missing: 'NOT_FOUND' } },
  envelope: 'message',
  may: 'see creatives',
  handle: async (input) => {
    const draft = await findRecord(draftPosts, input)
    const link = previewLink(input.runtime, { state: 'DRAFT', accountId: input.account.id, id: draft.id })
    return { message: `For ${link.hours} hours the preview can be opened at ${link.url}` }
  },
})
