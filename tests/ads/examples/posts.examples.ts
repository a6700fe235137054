import type { AdsScene } from '../ads-scene.ts'
import type { AdsExample } from './example.ts'

let made = 0
/** A text that no other example has. */
const words = () => `Example ${++made}`
const alice = (scene: AdsScene) => scene.server.userId('alice')

/** A minute of its own in the coming days: only so many posts fit into a quarter of an hour. */
const due = (scene: AdsScene) =>
  new Date(scene.server.runtime.clock.now() + 3_600_000 + 60_000 * ++made).toISOString().slice(0, 19)

const post = async (scene: AdsScene): Promise<string> =>
  (await scene.made('post', { as_user_id: alice(scene), text: words() })).id_str
const draft = async (scene: AdsScene): Promise<string> => (await scene.made('draft_posts', { text: words() })).id
const scheduled = async (scene: AdsScene): Promise<string> =>
  (await scene.made('scheduled_posts', { text: words(), scheduled_at: `${due(scene)}Z` })).id
const link = async (scene: AdsScene): Promise<string> =>
  (
    await scene.made('scheduled_promoted_posts', {
      line_item_id: await scene.lineItem(),
      scheduled_post_id: await scheduled(scene),
    })
  ).id

/** Examples of posts for ads, drafts, scheduled posts and what promotes those. */
export const examples: Record<string, AdsExample> = {
  createPost: (scene) => ({
    values: {
      as_user_id: alice(scene),
      text: `${words()} with #tags, $ROST, @bob and https://example.com/a?b=1`,
      name: 'Example',
      conversation_settings: 'FOLLOWING',
      post_mode: 'extended',
    },
  }),
  listPosts: async (scene) => {
    await scene.made('post', { as_user_id: alice(scene), text: `${words()} for @bob https://example.com`, name: 'Ex' })
    return {
      values: { tweet_type: 'PUBLISHED', count: 2, include_mentions_and_replies: true, timeline_type: 'ALL' },
    }
  },
  updatePostName: async (scene) => ({ path: { post_id: await post(scene) }, values: { name: 'Renamed' } }),
  getPostPreviews: async (scene) => ({ values: { post_ids: await post(scene), tweet_type: 'PUBLISHED' } }),

  listDraftPosts: async (scene) => {
    await draft(scene)
    return { values: { count: 1 } }
  },
  getDraftPost: async (scene) => ({ path: { draft_post_id: await draft(scene) } }),
  createDraftPost: (scene) => ({ values: { as_user_id: alice(scene), text: words(), name: 'Example' } }),
  updateDraftPost: async (scene) => ({ path: { draft_post_id: await draft(scene) }, values: { name: 'Renamed' } }),
  deleteDraftPost: async (scene) => ({ path: { draft_post_id: await draft(scene) } }),
  previewDraftPost: async (scene) => ({ path: { draft_post_id: await draft(scene) } }),

  listScheduledPosts: async (scene) => {
    await scheduled(scene)
    return { values: { count: 1 } }
  },
  getScheduledPost: async (scene) => ({ path: { scheduled_post_id: await scheduled(scene) } }),
  createScheduledPost: (scene) => ({
    values: { as_user_id: alice(scene), text: words(), scheduled_at: `${due(scene)}+00:00` },
  }),
  updateScheduledPost: async (scene) => ({
    path: { scheduled_post_id: await scheduled(scene) },
    values: { text: words() },
  }),
  deleteScheduledPost: async (scene) => ({ path: { scheduled_post_id: await scheduled(scene) } }),

  listScheduledPromotedPosts: async (scene) => {
    await link(scene)
    return { values: { count: 1, with_total_count: true } }
  },
  getScheduledPromotedPost: async (scene) => ({ path: { scheduled_promoted_post_id: await link(scene) } }),
  createScheduledPromotedPost: async (scene) => ({
    values: { line_item_id: await scene.lineItem(), scheduled_post_id: await scheduled(scene) },
  }),
  deleteScheduledPromotedPost: async (scene) => ({ path: { scheduled_promoted_post_id: await link(scene) } }),
}
