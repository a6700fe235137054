import { serveLooks } from '../../../src/ads/serving/ad-server.ts'
import type { Look, Shown, Viewer } from '../../../src/ads/serving/look.ts'
import { readViewers } from '../../../src/ads/serving/viewers.ts'
import { idAt } from '../../../src/process/ids.ts'
import { makePost } from '../../social/acting.ts'
import { type AdsScene, startAdsScene } from '../ads-scene.ts'

export const UNITED_STATES = '96683cc9126741d1'
export const GERMANY = 'fdcd221ac44fa326'

/** A production account with money, and people who look. */
export interface ServingScene extends AdsScene {
  viewers: Viewer[]
  /** A campaign with one line item that promotes a new post of alice; ids in base 36. */
  promote(
    values?: Record<string, string | number | boolean>,
    campaign?: Record<string, string | number>,
  ): Promise<Promotion>
  /** Looks of all viewers, one after the other, from a moment on. */
  look(from: number, rounds?: number, everyMs?: number): Promise<{ looks: Look[]; shown: Shown[][] }>
}

export interface Promotion {
  campaign: string
  lineItem: string
  promoted: string
  post: string
}

/** Starts a server with `people` viewers: of both genders, several ages, two countries. */
export async function startServingScene(people: number, flags: string[] = []): Promise<ServingScene> {
  const scene = await startAdsScene(flags, { environment: 'production' })
  const { database } = scene.server.runtime
  await database.query({
    text: `insert into user_account (id, username, name, created_at)
           select 7000000000 + n, 'viewer_' || n, 'Viewer ' || n, '2026-01-01' from generate_series(1, ${people}) n`,
  })
  await database.query({
    text: `insert into ads_viewer (user_id, language, locations, age, gender, platform, interests)
           select 7000000000 + n, 'en', array[case when n % 3 = 0 then '${GERMANY}' else '${UNITED_STATES}' end], 15 + n % 50, 1 + n % 2, (n % 2)::text, '{}'
             from generate_series(1, ${people}) n`,
  })
  const ids = Array.from({ length: people }, (_, at) => String(7_000_000_001 + at))
  const viewers = [...(await readViewers(database, ids)).values()].sort((one, other) => one.number - other.number)
  let posts = 0
  return {
    ...scene,
    viewers,
    promote: async (values = {}, campaignValues = {}) => {
      posts += 1
      const campaign = await scene.campaign(campaignValues)
      const lineItem = await scene.lineItem({ campaign_id: campaign, bid_strategy: 'AUTO', ...values })
      const post = await makePost(scene.server, 'alice', {
        text: `An offer number ${posts} for everybody who reads this`,
      })
      const [promoted] = await scene.made('promoted_posts', { line_item_id: lineItem, post_ids: post })
      return { campaign, lineItem, promoted: promoted.id, post }
    },
    look: async (from, rounds = 1, everyMs = 1_000) => {
      const looks: Look[] = []
      for (let at = 0; at < rounds * viewers.length; at++) {
        const moment = from + at * everyMs
        const viewer = viewers[at % viewers.length]!
        looks.push({ id: idAt(moment, 1000), at: moment, viewer, placement: 'PLATFORM_TIMELINE', slots: 1 })
      }
      const shown: Shown[][] = []
      for (let at = 0; at < looks.length; at += 500)
        shown.push(...(await serveLooks(scene.server.runtime, looks.slice(at, at + 500), { responds: 'model' })))
      return { looks, shown }
    },
  }
}
