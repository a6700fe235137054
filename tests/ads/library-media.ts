import { uploadSegments, uploadWhole } from '../social/uploading.ts'
import { type Mp4Facts, makeMp4, makePng } from '../support/make-media.ts'
import type { AdsScene } from './ads-scene.ts'

const enter = async (scene: AdsScene, key: string): Promise<string> => {
  await scene.made('media_library', { media_key: key })
  return key
}

/** Uploads bytes as an image and adds it to the account's library; returns its key. */
export const libraryImage = async (scene: AdsScene, width = 800, height = 800, bytes = makePng(width, height)) =>
  enter(scene, (await uploadWhole(scene.server, bytes)).media_key)

/** The same for a video. */
export const libraryVideo = async (scene: AdsScene, facts: Mp4Facts = { width: 1280, height: 720 }) =>
  enter(scene, (await uploadSegments(scene.server, makeMp4(facts), { category: 'post_video' })).media_key)

/** The same for a GIF. */
export const libraryGif = async (scene: AdsScene, bytes: Buffer) =>
  enter(scene, (await uploadSegments(scene.server, bytes, { type: 'image/gif', category: 'post_gif' })).media_key)

// One upload of each for a whole scene: examples are sent many times.
const shared = new WeakMap<AdsScene, Map<string, Promise<string>>>()
const once = (scene: AdsScene, name: string, make: () => Promise<string>): Promise<string> => {
  const uploads = shared.get(scene) ?? new Map<string, Promise<string>>()
  shared.set(scene, uploads)
  const found = uploads.get(name) ?? make()
  uploads.set(name, found)
  return found
}

/** Media items that fit cards, uploaded on first use. */
export const cardMedia = {
  square: (scene: AdsScene) => once(scene, 'square', () => libraryImage(scene)),
  wide: (scene: AdsScene) => once(scene, 'wide', () => libraryImage(scene, 800, 418)),
  unlocked: (scene: AdsScene) => once(scene, 'unlocked', () => libraryImage(scene, 800, 320)),
  video: (scene: AdsScene) => once(scene, 'video', () => libraryVideo(scene)),
  squareVideo: (scene: AdsScene) =>
    once(scene, 'squareVideo', () => libraryVideo(scene, { width: 640, height: 640, durationMs: 4_000 })),
}
