import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBase36 } from '../../../src/ads/kit/values.ts'
import { clickId } from '../../../src/ads/measurement/click-id.ts'
import { ADS_KEPT_NAMES } from '../../../src/legacy-words.ts'
import { hash } from '../people.ts'
import { type ShownAd, showAd } from '../shown-ads.ts'
import { GERMANY, type ServingScene, startServingScene } from './serving-scene.ts'

const DAY = Date.parse('2026-11-20T12:00:00Z')
const HOUR = 3_600_000
const PEOPLE = 600

let scene: ServingScene
beforeAll(async () => {
  scene = await startServingScene(PEOPLE)
  const { database, clock } = scene.server.runtime
  await database.query({
    text: 'update user_account set created_at = $1 where id between 7000000001 and 7000001000',
    values: [new Date(clock.now() - 86_400_000)],
  })
  // Every third lives in Germany; of these the first 150 cook. Otherwise all are alike.
  await database.query({
    text: `update ads_viewer set age = null, gender = null,
             interests = case when user_id <= 7000000450 and locations = array['${GERMANY}'] then '{cooking}'::text[] else '{}' end`,
  })
})
afterAll(() => scene.close())

const money = { standard_delivery: false, daily_budget_amount_local_micro: 100_000_000 }
const numberOf = (userId: string): number => Number(userId) - 7_000_000_000
const every = (step: number, count: number): number[] => Array.from({ length: count }, (_, at) => (at + 1) * step)
const work = () => scene.server.command('ads.work')

let looks = 0
/** The people whom the only line item that serves reaches, by their numbers from one on. */
async function reached(): Promise<number[]> {
  looks += 1
  const { looks: all, shown } = await scene.look(DAY + looks * HOUR, 1, 100)
  return all.filter((_, at) => shown[at]!.length > 0).map((look) => numberOf(look.viewer.userId))
}

async function targeting(type: string, value: string, values: Record<string, string> = {}): Promise<string> {
  const { lineItem } = await scene.promote({ ...money, ...values }, { daily_budget_amount_local_micro: 100_000_000 })
  await scene.made('targeting_criteria', { line_item_id: lineItem, targeting_type: type, targeting_value: value })
  return lineItem
}
const pause = (lineItem: string) => scene.put(`line_items/${lineItem}`, { entity_status: 'PAUSED' })

async function audienceOf(members: readonly number[]): Promise<string> {
  const { id } = await scene.made('custom_audiences', { name: `Of ${members.length}` })
  const users = members.map((number) => ({ platform_id: [hash(String(7_000_000_000 + number))] }))
  const answer = await scene.json('POST', `custom_audiences/${id}/users`, [
    { operation_type: 'Update', params: { users } },
  ])
  expect(answer.status, answer.text).toBe(200)
  await work()
  return id
}

describe('look-alikes', () => {
  test('of a custom audience are reached with its members, and nobody who has nothing in common', async () => {
    // A hundred people who cook in Germany.
    const audience = await audienceOf(every(3, 100))
    const plain = await targeting('CUSTOM_AUDIENCE', audience)
    expect(await reached()).toEqual(every(3, 100))
    await pause(plain)
    const expanded = await targeting('CUSTOM_AUDIENCE_EXPANDED', audience)
    expect(await reached()).toEqual(every(3, 200))
    await pause(expanded)
  })

  test('are added by audience_expansion, more of them the wider it is, the most similar first', async () => {
    const alice = scene.server.userId('alice')
    await scene.server.runtime.database.query({
      text: `insert into follow (source_id, target_id, id, pending) select 7000000000 + 3 * n, $1, 8200000000 + n, false from generate_series(1, 10) n`,
      values: [alice],
    })
    const lineItem = await targeting('FOLLOWERS_OF_USER', alice)
    expect(await reached()).toEqual(every(3, 10))
    for (const [audience_expansion, count] of [
      ['DEFINED', 20],
      ['EXPANDED', 40],
      ['BROAD', 110],
    ] as const) {
      await scene.put(`line_items/${lineItem}`, { audience_expansion })
      expect(await reached()).toEqual(every(3, count))
    }
    // What else is targeted still holds.
    await scene.made('targeting_criteria', {
      line_item_id: lineItem,
      targeting_type: 'LOCATION',
      targeting_value: GERMANY,
      operator_type: 'NE',
    })
    expect(await reached()).toEqual([])
    await pause(lineItem)
  })
})

describe('an event tag that is enabled for retargeting', () => {
  const tagValues = { name: 'Thanks', type: 'PURCHASE', click_window: 7, view_through_window: 1 }
  const audiencesOf = async (q: string) => (await scene.get('custom_audiences', { q })).body.data

  test('has an audience of the visitors who are known, which can be targeted', async () => {
    const ad: ShownAd = await scene.promote({ ...money, entity_status: 'PAUSED' })
    const tag = await scene.made('web_event_tags', { ...tagValues, retargeting_enabled: true })
    const other = await scene.made('web_event_tags', { ...tagValues, name: 'Unseen', retargeting_enabled: false })
    expect(await audiencesOf('Website visitors: Unseen')).toEqual([])
    const [audience] = await audiencesOf('Website visitors: Thanks')
    expect(audience).toMatchObject({
      name: `Website visitors: Thanks (${tag.id})`,
      audience_type: 'WEB',
      targetable_types: ['WEB', 'EXCLUDED_WEB'],
      targetable: false,
      audience_size: null,
    })
    const hit = async (viewer: number, event: string) => {
      const impressionId = await showAd(scene, ad, viewer, { minutesAgo: 3, did: ['url_clicks'] })
      const clicked = clickId(scene.server.runtime, { viewer, impressionId })
      const answer = await scene.server.request('POST', `/i/pixel/${tag.website_tag_id}/hit`, {
        as: 'nobody',
        raw: JSON.stringify({ event: `tw-${tag.website_tag_id}-${event}`, [ADS_KEPT_NAMES.clickId]: clicked }),
      })
      expect(answer.status, answer.text).toBe(204)
    }
    const visitors = scene.viewers.slice(0, 100)
    await Promise.all(visitors.map((viewer) => hit(viewer.number, tag.id)))
    await hit(scene.viewers[200]!.number, other.id)
    await work()
    const read = async () => (await scene.get(`custom_audiences/${audience.id}`)).body.data
    expect(await read()).toMatchObject({ targetable: true, audience_size: 100, reasons_not_targetable: [] })
    const users = await scene.json('POST', `custom_audiences/${audience.id}/users`, [
      { operation_type: 'Update', params: { users: [{ platform_id: [hash('1')] }] } },
    ])
    expect(users.body.errors[0]).toMatchObject({ code: 'INVALID_TAILORED_AUDIENCE_TYPE' })
    const lineItem = await targeting('CUSTOM_AUDIENCE', audience.id)
    expect(await reached()).toEqual(every(1, 100))
    // Without retargeting nobody is followed any more.
    await scene.put(`web_event_tags/${tag.id}`, { retargeting_enabled: false })
    await work()
    expect(await reached()).toEqual([])
    await hit(visitors[0]!.number, tag.id)
    await work()
    expect(await read()).toMatchObject({ targetable: false, audience_size: null })
    expect(await reached()).toEqual([])
    await scene.delete(`web_event_tags/${tag.id}`)
    expect((await scene.get(`custom_audiences/${audience.id}`)).status).toBe(404)
    await pause(lineItem)
  })

  test('of an app has an audience of its activity', async () => {
    const tag = await scene.made('app_event_tags', {
      app_store_identifier: 'com.example.shop',
      os_type: 'PLATFORM_A',
      conversion_type: 'PURCHASE',
      provider_app_event_id: '1',
      provider_app_event_name: 'Bought',
    })
    const [audience] = await audiencesOf('App activity: Bought')
    expect(audience).toMatchObject({ audience_type: 'MOBILE_AUDIENCE', targetable: false })
    await scene.delete(`app_event_tags/${tag.id}`)
    expect(await audiencesOf('App activity: Bought')).toEqual([])
  })

  test('that is older than such audiences gets one, with those who did it before', async () => {
    const { database, ids } = scene.server.runtime
    const tag = await scene.made('web_event_tags', { ...tagValues, name: 'Older', retargeting_enabled: true })
    const app = await scene.made('app_event_tags', {
      app_store_identifier: 'com.example.shop',
      os_type: 'PLATFORM_A',
      conversion_type: 'PURCHASE',
      provider_app_event_id: '1',
      provider_app_event_name: `Older ${'\u{1f600}'.repeat(120)}`,
    })
    const kept = await scene.made('web_event_tags', { ...tagValues, name: 'Younger', retargeting_enabled: true })
    const deleted = await scene.made('web_event_tags', { ...tagValues, name: 'Unwanted', retargeting_enabled: true })
    await scene.delete(`custom_audiences/${(await audiencesOf('Website visitors: Unwanted'))[0].id}`)
    const [younger] = await audiencesOf('Website visitors: Younger')
    await database.query({
      text: `delete from ads_custom_audience where account_id = (select account_id from ads_web_event_tag where id = $1) and name like '%: Older%'`,
      values: [parseBase36(tag.id)],
    })
    await database.query({
      text: `insert into ads_conversion (id, account_id, tag_id, metric, viewer)
             select k.id, t.account_id, t.id, 'conversion_purchases', k.viewer
               from ads_web_event_tag t, unnest($2::bigint[], $3::int[]) as k (id, viewer) where t.id = $1`,
      values: [
        parseBase36(tag.id),
        scene.viewers.slice(0, 100).map(() => ids.next()),
        scene.viewers.slice(0, 100).map((viewer) => viewer.number),
      ],
    })
    await database.query({ text: readFileSync('src/storage/migrations/0099-audiences-of-older-tags.sql', 'utf8') })
    await work()
    expect(await audiencesOf('Website visitors: Older')).toMatchObject([
      { name: `Website visitors: Older (${tag.id})`, audience_type: 'WEB', targetable: true, audience_size: 100 },
    ])
    const [ofApp] = await audiencesOf('App activity: Older')
    expect(ofApp).toMatchObject({ audience_type: 'MOBILE_AUDIENCE', targetable: false })
    expect(ofApp.name).toMatch(new RegExp(`^App activity: Older [^ ]+ \\(${app.id}\\)$`, 'u'))
    expect(await audiencesOf('Website visitors: Younger')).toMatchObject([{ id: younger.id }])
    expect(await audiencesOf('Website visitors: Unwanted')).toEqual([])
    for (const id of [tag.id, kept.id, deleted.id]) await scene.delete(`web_event_tags/${id}`)
    expect(await audiencesOf('Website visitors: Older')).toEqual([])
  })
})
