import type { AdsScene } from '../ads-scene.ts'
import { cardMedia } from '../library-media.ts'
import type { AdsExample } from './example.ts'

const button = {
  type: 'BUTTON',
  label: { type: 'ENUM', value: 'INSTALL' },
  destination: {
    type: 'APP',
    country_code: 'US',
    platform_a_app_id: 'com.example.app',
    platform_a_deep_link: 'example://home',
    platform_b_app_store_identifier: '333903271',
  },
}
const details = {
  type: 'DETAILS',
  title: 'Our site',
  destination: { type: 'WEBSITE', url: 'https://example.com' },
}

async function appCard(scene: AdsScene) {
  return { name: 'Example', components: [{ type: 'MEDIA', media_key: await cardMedia.square(scene) }, button] }
}
const card = async (scene: AdsScene) => (await scene.json('POST', 'cards', await appCard(scene))).body.data

const POLL = { name: 'Example', first_choice: 'East', second_choice: 'West', duration_in_minutes: 60 }
const poll = (scene: AdsScene) => scene.made('cards/poll', POLL)

const conversation = (media: string) => ({
  name: 'Example',
  title: 'Which?',
  first_cta: '#East',
  first_cta_post: 'East it is',
  second_cta: '#West',
  second_cta_post: 'West it is',
  thank_you_text: 'Thanks',
  thank_you_url: 'https://example.com/thanks',
  media_key: media,
})
const imageConversation = async (scene: AdsScene) => conversation(await cardMedia.wide(scene))
const videoConversation = async (scene: AdsScene) => conversation(await cardMedia.video(scene))
const made = async (scene: AdsScene, kind: string) =>
  scene.made(
    `cards/${kind}`,
    await (kind === 'image_conversation' ? imageConversation(scene) : videoConversation(scene)),
  )

/** Examples of cards of every kind. */
export const examples: Record<string, AdsExample> = {
  listCards: async (scene) => {
    const { card_uri: uri } = await card(scene)
    return { values: { card_uris: uri, card_types: 'IMAGE_APP', q: 'ex', sort_by: 'name-asc', count: 10 } }
  },
  createCard: async (scene) => ({ json: await appCard(scene) }),
  getCard: async (scene) => ({ path: { card_id: (await card(scene)).id } }),
  updateCard: async (scene) => ({
    path: { card_id: (await card(scene)).id },
    json: { components: [{ type: 'MEDIA', media_key: await cardMedia.video(scene) }, details] },
  }),
  deleteCard: async (scene) => ({ path: { card_id: (await card(scene)).id } }),
  deleteLegacyCard: async (scene) => ({ path: { card_type: 'poll', card_id: (await poll(scene)).id } }),

  fetchCardsByUri: async (scene) => {
    const uris = [await card(scene), await poll(scene), await made(scene, 'video_conversation')].map(
      (item) => item.card_uri,
    )
    return { values: { card_uris: uris.join() } }
  },
  fetchCardById: async (scene) => ({ path: { card_id: (await poll(scene)).id } }),

  listPollCards: async (scene) => {
    await poll(scene)
    return { values: { count: 1, sort_by: 'created_at-desc', with_total_count: true } }
  },
  getPollCard: async (scene) => ({ path: { card_id: (await poll(scene)).id } }),
  createPollCard: () => ({ values: { ...POLL, third_choice: 'North', fourth_choice: 'South' } }),
  deletePollCard: async (scene) => ({ path: { card_id: (await poll(scene)).id } }),

  listImageConversationCards: async (scene) => {
    await made(scene, 'image_conversation')
    return { values: { q: 'exa' } }
  },
  getImageConversationCard: async (scene) => ({ path: { card_id: (await made(scene, 'image_conversation')).id } }),
  createImageConversationCard: async (scene) => ({
    values: { ...(await imageConversation(scene)), unlocked_image_media_key: await cardMedia.unlocked(scene) },
  }),
  updateImageConversationCard: async (scene) => ({
    path: { card_id: (await made(scene, 'image_conversation')).id },
    values: { name: 'Renamed', third_cta: '#North', third_cta_post: 'North it is' },
  }),
  deleteImageConversationCard: async (scene) => ({
    path: { card_id: (await made(scene, 'image_conversation')).id },
  }),

  listVideoConversationCards: async (scene) => {
    await made(scene, 'video_conversation')
    return {}
  },
  getVideoConversationCard: async (scene) => ({ path: { card_id: (await made(scene, 'video_conversation')).id } }),
  createVideoConversationCard: async (scene) => ({ values: await videoConversation(scene) }),
  updateVideoConversationCard: async (scene) => ({
    path: { card_id: (await made(scene, 'video_conversation')).id },
    values: { thank_you_text: 'Many thanks' },
  }),
  deleteVideoConversationCard: async (scene) => ({
    path: { card_id: (await made(scene, 'video_conversation')).id },
  }),
}
