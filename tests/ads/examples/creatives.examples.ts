import { uploadSegments, uploadWhole } from '../../social/uploading.ts'
import { makeMp4, makePng } from '../../support/make-media.ts'
import type { AdsScene } from '../ads-scene.ts'
import type { AdsExample } from './example.ts'

/** What examples share: uploads and line items are made once for a scene. */
interface Stage {
  image: string
  preroll: string
  banner: string
  /** Line items of pre-rolls, of followers and of posts. */
  media: string
  followers: string
  posts: string
}

const stages = new WeakMap<AdsScene, Promise<Stage>>()
function stageOf(scene: AdsScene): Promise<Stage> {
  let stage = stages.get(scene)
  if (!stage) {
    stage = makeStage(scene)
    stages.set(scene, stage)
  }
  return stage
}

async function makeStage(scene: AdsScene): Promise<Stage> {
  const { server } = scene
  await server.command('ads.account.set', { account: scene.account, add_features: ['PREROLL_VIEWS_OBJECTIVE'] })
  return {
    image: (await uploadWhole(server, makePng())).media_key,
    banner: (await uploadWhole(server, makePng(728, 90))).media_key,
    preroll: (await uploadSegments(server, makeMp4(), { category: 'amplify_video' })).media_key,
    media: await scene.lineItem({ objective: 'PREROLL_VIEWS', product_type: 'MEDIA', categories: 'IAB18' }),
    followers: await scene.lineItem({ objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' }),
    posts: await scene.lineItem(),
  }
}

let written = 0
const post = async (scene: AdsScene): Promise<string> => {
  const answer = await scene.server.post('/2/posts', { text: `An example ${++written}` }, { user: 'alice' })
  return answer.body.data.id
}
const promotedPost = async (scene: AdsScene): Promise<string> => {
  const values = { line_item_id: (await stageOf(scene)).posts, post_ids: await post(scene) }
  return (await scene.made('promoted_posts', values))[0].id
}
const promotedAccount = async (scene: AdsScene): Promise<string> => {
  const values = { line_item_id: (await stageOf(scene)).followers, user_id: scene.server.userId('alice') }
  return (await scene.made('promoted_accounts', values)).id
}
const libraryItem = async (scene: AdsScene, kind: 'image' | 'preroll' | 'banner' = 'preroll'): Promise<string> => {
  const key = (await stageOf(scene))[kind]
  await scene.made('media_library', { media_key: key, name: 'Example' })
  return key
}
/** The account media of the pre-roll; the banner makes a second one. */
const accountMedia = async (scene: AdsScene): Promise<string> => {
  await libraryItem(scene)
  await libraryItem(scene, 'banner')
  return (await scene.get('account_media', { creative_types: 'PREROLL' })).body.data[0].id
}
const mediaCreative = async (scene: AdsScene): Promise<string> => {
  const values = { line_item_id: (await stageOf(scene)).media, account_media_id: await accountMedia(scene) }
  return (await scene.made('media_creatives', values)).id
}
const tagValues = async (scene: AdsScene) => ({
  line_item_id: (await stageOf(scene)).posts,
  tracking_tag_type: 'IMPRESSION_TAG',
  tracking_tag_url: 'https://partner.example/imp;id=1',
})
const trackingTag = async (scene: AdsScene): Promise<string> =>
  (await scene.made('tracking_tags', await tagValues(scene))).id
const actionValues = async (scene: AdsScene) => ({
  line_item_id: (await stageOf(scene)).media,
  call_to_action: 'VISIT_SITE',
  call_to_action_url: 'https://example.com/',
})
const callToAction = async (scene: AdsScene): Promise<string> =>
  (await scene.made('preroll_call_to_actions', await actionValues(scene))).id

/** Examples of what line items show and of the media of accounts. */
export const examples: Record<string, AdsExample> = {
  listPromotedPosts: async (scene) => {
    await promotedPost(scene)
    return { values: { line_item_ids: (await stageOf(scene)).posts, sort_by: 'paused-asc', count: 5 } }
  },
  getPromotedPost: async (scene) => ({ path: { promoted_post_id: await promotedPost(scene) } }),
  createPromotedPosts: async (scene) => ({
    values: { line_item_id: (await stageOf(scene)).posts, post_ids: `${await post(scene)},${await post(scene)}` },
  }),
  deletePromotedPost: async (scene) => ({ path: { promoted_post_id: await promotedPost(scene) } }),

  listPromotedAccounts: async (scene) => {
    await promotedAccount(scene)
    return { values: { line_item_ids: (await stageOf(scene)).followers } }
  },
  getPromotedAccount: async (scene) => ({ path: { promoted_account_id: await promotedAccount(scene) } }),
  createPromotedAccount: async (scene) => ({
    values: { line_item_id: (await stageOf(scene)).followers, user_id: scene.server.userId('alice') },
  }),
  deletePromotedAccount: async (scene) => ({ path: { promoted_account_id: await promotedAccount(scene) } }),

  listMediaCreatives: async (scene) => ({ values: { media_creative_ids: await mediaCreative(scene) } }),
  getMediaCreative: async (scene) => ({ path: { media_creative_id: await mediaCreative(scene) } }),
  createMediaCreative: async (scene) => ({
    values: { line_item_id: (await stageOf(scene)).media, account_media_id: await accountMedia(scene) },
  }),
  deleteMediaCreative: async (scene) => ({ path: { media_creative_id: await mediaCreative(scene) } }),

  listTrackingTags: async (scene) => ({ values: { tracking_tag_ids: await trackingTag(scene) } }),
  getTrackingTag: async (scene) => ({ path: { tracking_tag_id: await trackingTag(scene) } }),
  createTrackingTag: async (scene) => ({ values: await tagValues(scene) }),
  updateTrackingTag: async (scene) => ({
    path: { tracking_tag_id: await trackingTag(scene) },
    values: { tracking_tag_url: 'https://partner.example/imp;id=2' },
  }),
  deleteTrackingTag: async (scene) => ({ path: { tracking_tag_id: await trackingTag(scene) } }),

  listPrerollCallToActions: async (scene) => ({ values: { preroll_call_to_action_ids: await callToAction(scene) } }),
  getPrerollCallToAction: async (scene) => ({ path: { preroll_call_to_action_id: await callToAction(scene) } }),
  createPrerollCallToAction: async (scene) => ({ values: await actionValues(scene) }),
  updatePrerollCallToAction: async (scene) => ({
    path: { preroll_call_to_action_id: await callToAction(scene) },
    values: { call_to_action: 'SHOP' },
  }),
  deletePrerollCallToAction: async (scene) => ({ path: { preroll_call_to_action_id: await callToAction(scene) } }),

  listAccountMedia: async (scene) => {
    await accountMedia(scene)
    return { values: { creative_types: 'PREROLL,BANNER_TABLET', with_total_count: true } }
  },
  getAccountMedia: async (scene) => ({ path: { account_media_id: await accountMedia(scene) } }),
  deleteAccountMedia: async (scene) => ({ path: { account_media_id: await accountMedia(scene) } }),

  listMediaLibrary: async (scene) => {
    await libraryItem(scene)
    await libraryItem(scene, 'image')
    return { values: { q: 'example', count: 50 } }
  },
  getMediaLibraryItem: async (scene) => ({ path: { media_key: await libraryItem(scene, 'image') } }),
  addMediaLibraryItem: async (scene) => ({
    values: { media_key: (await stageOf(scene)).preroll, title: 'A title', description: 'Words' },
  }),
  updateMediaLibraryItem: async (scene) => ({
    path: { media_key: await libraryItem(scene) },
    values: { poster_media_key: (await stageOf(scene)).image, file_name: 'film.mp4' },
  }),
  deleteMediaLibraryItem: async (scene) => ({ path: { media_key: await libraryItem(scene) } }),
}
