import { selects } from '../../api-kit/reading/selection.ts'
import { post } from '../../social/posts/post.object.ts'

/** How posts are shown by the filtered stream and its webhooks: an edit comes as a new post, and its history says of which. */
export const FILTERED_FIELDS = selects(() => post, { always: ['edit_history_post_ids'] })
