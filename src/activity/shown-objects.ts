import type { ObjectType } from '../api-kit/declaring/object.ts'
import type { Naming } from '../api-kit/naming/naming.ts'
import type { PartReader } from '../api-kit/reading/part-cache.ts'
import { eventContext } from '../api-kit/reading/read-context.ts'
import { readObjects } from '../api-kit/reading/read-objects.ts'
import { type Selection, selects } from '../api-kit/reading/selection.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import type { Fault } from '../api-kit/writing/problems.ts'
import { post } from '../social/posts/post.object.ts'
import { user } from '../social/users/user.object.ts'

const POST_FIELDS = [
  'attachments',
  'author_id',
  'community_id',
  'conversation_id',
  'created_at',
  'display_text_range',
  'edit_controls',
  'edit_history_post_ids',
  'entities',
  'geo',
  'in_reply_to_user_id',
  'lang',
  'note_post',
  'paid_partnership',
  'possibly_sensitive',
  'public_metrics',
  'referenced_posts',
  'reply_settings',
]
const USER_FIELDS = [
  'affiliation',
  'created_at',
  'description',
  'entities',
  'location',
  'parody',
  'pinned_post_id',
  'profile_banner_url',
  'profile_image_url',
  'protected',
  'public_metrics',
  'url',
  'verified',
  'verified_type',
  'withheld',
]

/** The members of posts and users that activities show, in one naming. */
interface ShownSelections {
  post: Selection
  user: Selection
}

const selectionsByNaming = new Map<Naming, ShownSelections>()

// Created on first use: objects refer to each other and are complete only when all modules are loaded.
function selectionsIn(naming: Naming): ShownSelections {
  let selections = selectionsByNaming.get(naming)
  if (!selections) {
    selections = { post: selectionOf(post, POST_FIELDS, naming), user: selectionOf(user, USER_FIELDS, naming) }
    selectionsByNaming.set(naming, selections)
  }
  return selections
}

function selectionOf(object: ObjectType, fields: string[], naming: Naming): Selection {
  const faults: Fault[] = []
  const query = new Map([[naming.rename(`${object.name}.fields`), [fields.map(naming.rename).join()]]])
  const selection = selects(object).selection.compile('selection', naming)(query, faults)
  if (faults.length > 0) throw new Error(`${object.name} does not have all of ${fields.join()}`)
  return selection
}

/** Objects as JSON by id, without those that the public may not see. */
export interface ShownObjects {
  posts: ReadonlyMap<string, string>
  users: ReadonlyMap<string, string>
}

export async function readShown(
  runtime: Runtime,
  parts: PartReader,
  ids: { postIds: ReadonlySet<string>; userIds: ReadonlySet<string> },
  naming: Naming,
): Promise<ShownObjects> {
  // Read without a viewer, so nothing that only followers or the users themselves may see is sent.
  const context = eventContext(runtime, naming, parts)
  const selections = selectionsIn(naming)
  const read = async (wantedIds: ReadonlySet<string>, selection: Selection) => {
    const wanted = [...wantedIds].map((id) => ({ id, value: id }))
    const found = await readObjects(context, wanted, selection, { parameter: 'id', silent: true })
    return new Map(found.ids.map((id, index) => [id, found.data[index]!]))
  }
  const [posts, users] = await Promise.all([read(ids.postIds, selections.post), read(ids.userIds, selections.user)])
  return { posts, users }
}
