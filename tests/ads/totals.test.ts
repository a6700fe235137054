import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allAdsEntities } from '../../src/ads/kit/define-entity.ts'
import { parseBase36 } from '../../src/ads/kit/values.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene([], { newDatabase: true })
  await scene.server.command('ads.account.set', { account: scene.account, campaign_cap: 500 })
})
afterAll(() => scene.close())

const total = async (path: string, values: Record<string, string | number | boolean> = {}): Promise<number> =>
  (await scene.get(path, { ...values, with_total_count: true })).body.total_count
const batch = (plural: string, json: unknown) =>
  scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/${plural}`, { as: ALICE, json })

/** What the counters of an account and the tables say, by kind. */
const counts = async (text: string) => {
  const { rows } = await scene.server.runtime.database.query<Record<string, string>>({
    text,
    values: [parseBase36(scene.account)],
  })
  return rows
}

describe('a total', () => {
  test('follows creations, drafts, updates and deletions, one by one and at once', async () => {
    const before = await total('campaigns')
    const made = await Promise.all(Array.from({ length: 12 }, () => scene.campaign()))
    const drafts = [await scene.campaign({ entity_status: 'DRAFT' }), await scene.campaign({ entity_status: 'DRAFT' })]
    expect(await total('campaigns')).toBe(before + 12)
    expect(await total('campaigns', { with_draft: true })).toBe(before + 14)
    await Promise.all([
      ...made.slice(0, 3).map((id) => scene.delete(`campaigns/${id}`)),
      scene.put(`campaigns/${drafts[0]}`, { entity_status: 'PAUSED' }),
      scene.campaign(),
      batch('campaigns', [
        { operation_type: 'Delete', params: { campaign_id: made[4] } },
        { operation_type: 'Update', params: { campaign_id: made[5], name: 'Other' } },
      ]),
    ])
    const refused = await batch('campaigns', [
      { operation_type: 'Delete', params: { campaign_id: made[6] } },
      { operation_type: 'Update', params: { campaign_id: 'a1', name: 'None' } },
    ])
    expect(refused.status).toBe(400)
    expect(await total('campaigns')).toBe(before + 10)
    expect(await total('campaigns', { with_draft: true })).toBe(before + 11)
    expect(await total('campaigns', { with_draft: true, with_deleted: true })).toBe(before + 15)
    expect(await total('campaigns', { campaign_ids: `${made[0]},${made[7]}` })).toBe(1)
    expect(await total('campaigns', { q: 'oth' })).toBe(1)
  })

  test('of every kind is what the table has', async () => {
    const line = await scene.lineItem()
    await scene.post('tracking_tags', {
      line_item_id: line,
      tracking_tag_type: 'IMPRESSION_TAG',
      tracking_tag_url: 'https://partner.example/1',
    })
    for (const targeting_value of ['1', '2'])
      await scene.post('targeting_criteria', { line_item_id: line, targeting_type: 'GENDER', targeting_value })
    const poll = { name: 'Poll', first_choice: 'a', second_choice: 'b', duration_in_minutes: 60 }
    const { id } = await scene.made('cards/poll', poll)
    await scene.made('cards/poll', poll)
    await scene.delete(`cards/poll/${id}`)
    expect([await total('cards/poll'), await total('cards/poll', { with_deleted: true })]).toEqual([1, 2])
    const tables = allAdsEntities()
      .filter((entity) => entity.declared.counted === true)
      .map((entity) => entity.table)
    expect(tables.length).toBeGreaterThan(10)
    const stored = [
      ...tables.map((table) => `select '${table}' as kind, deleted from ${table} where account_id = $1`),
      'select card_type, deleted from ads_card where account_id = $1',
    ].join(' union all ')
    const counted = 'select kind, deleted, sum(total) as total from ads_record_count where account_id = $1'
    expect(await counts(`${counted} group by 1, 2 having sum(total) <> 0 order by 1, 2`)).toEqual(
      await counts(`select kind, deleted, count(*) as total from (${stored}) r group by 1, 2 order by 1, 2`),
    )
  })
})

test('a list by the time of the last change is complete, in both directions, page by page', async () => {
  const ids: string[] = []
  for (let at = 0; at < 6; at++) {
    ids.push(await scene.campaign({ name: `Sorted ${at}` }))
    if (at % 2 === 1) await scene.server.command('clock', { advance_ms: 1_000 })
  }
  await scene.server.command('clock', { advance_ms: 1_000 })
  await scene.put(`campaigns/${ids[1]}`, { name: 'Sorted later' })
  const expected = [...ids.filter((id) => id !== ids[1]), ids[1]]
  const pages = async (sort_by: string): Promise<string[]> => {
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const { body } = await scene.get('campaigns', { q: 'sorted', sort_by, count: 2, ...(cursor ? { cursor } : {}) })
      seen.push(...body.data.map((item: { id: string }) => item.id))
      if (body.next_cursor === null) return seen
      cursor = body.next_cursor
    }
  }
  expect(await pages('updated_at-asc')).toEqual(expected)
  expect(await pages('updated_at-desc')).toEqual([...expected].reverse())
  expect(await pages('deleted-asc,updated_at-desc')).toHaveLength(6)
})

test('a list by the time of the last change walks an index, however many records there are', async () => {
  const { rows } = await scene.server.runtime.database.query<{ 'QUERY PLAN': string }>({
    text: `explain (costs off) select r.* from ads_line_item r where r.account_id = 1 and (not r.deleted) = true
             and (r.updated_at, r.id) > ('2026-01-01'::timestamptz, 5) order by r.updated_at, r.id limit 200`,
  })
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('ads_line_item_updated')
  expect(plan).not.toContain('Sort')
})
