import { CATEGORY_RULES } from '../social/media/categories.ts'
import { defineV1Operation } from './v1-operation.ts'

const LINK_LENGTH = 23

/** What libraries read before they shorten links or choose a size of a picture. */
export const v1Configuration = defineV1Operation({
  id: 'v1Configuration',
  route: 'GET /1.1/help/configuration.json',
  tag: 'General',
  summary: 'Get lengths and sizes of the interface',
  app: true,
  limit: { app: '15/15m', user: '15/15m' },
  params: {},
  handle: async () => ({
    body: {
      dm_text_character_limit: 10_000,
      characters_reserved_per_media: LINK_LENGTH + 1,
      max_media_per_upload: 1,
      photo_size_limit: CATEGORY_RULES.post_image.maxBytes,
      photo_sizes: {
        thumb: { w: 150, h: 150, resize: 'crop' },
        small: { w: 680, h: 680, resize: 'fit' },
        medium: { w: 1200, h: 1200, resize: 'fit' },
        large: { w: 2048, h: 2048, resize: 'fit' },
      },
      short_url_length: LINK_LENGTH,
      short_url_length_https: LINK_LENGTH,
      non_username_paths: ['about', 'account', 'explore', 'home', 'i', 'login', 'messages', 'search', 'settings'],
    },
  }),
})
