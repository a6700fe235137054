import { selects } from '../../api-kit/reading/selection.ts'
import { post } from '../../social/posts/post.object.ts'

/** The post fields of the filtered stream and its webhooks. An edit arrives as a new post, so the history is always included. */
export const FILTERED_FIELDS = selects(() => post, { always: ['edit_history_post_ids'] })
