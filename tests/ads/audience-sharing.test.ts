import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const audience = async (name: string, more: Record<string, string> = {}): Promise<string> =>
  (await scene.made('custom_audiences', { name, ...more })).id
/** A further sandbox account of alice, maybe of a business. */
const account = async (args: Record<string, unknown> = {}): Promise<string> =>
  (await scene.server.command('ads.account.create', { owner: 'alice', sandbox: true, ...args })).id
const at = (id: string, method: string, path: string, values: Record<string, string> = {}) =>
  scene.call(method, `accounts/${id}/${path}`, values)
const firstError = (answer: TestAnswer) => ({ status: answer.status, ...answer.body.errors[0] })

describe('permissions of an audience', () => {
  const share = (owner: string, id: string, granted: string, level = 'READ_ONLY') =>
    at(owner, 'POST', `custom_audiences/${id}/permissions`, { granted_account_id: granted, permission_level: level })

  test('are given within a business; outside of it the owner needs a feature', async () => {
    const [owner, sibling, stranger] = [
      await account({ business: 'b1' }),
      await account({ business: 'b1' }),
      await account({ business: 'b2' }),
    ]
    const { id } = (await at(owner, 'POST', 'custom_audiences', { name: 'Shared' })).body.data
    const given = await share(owner, id, sibling)
    expect(given.body.data).toEqual({
      id: expect.any(String),
      custom_audience_id: id,
      granted_account_id: sibling,
      permission_level: 'READ_ONLY',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      deleted: false,
    })
    const feature = ['SHARE_AUDIENCE_OUTSIDE_BUSINESS']
    await scene.server.command('ads.account.set', { account: owner, remove_features: feature })
    expect(firstError(await share(owner, id, stranger))).toMatchObject({
      status: 400,
      code: 'FEATURE_NOT_AVAILABLE',
      parameter: 'granted_account_id',
      details: 'needs the account feature SHARE_AUDIENCE_OUTSIDE_BUSINESS',
    })
    await scene.server.command('ads.account.set', { account: owner, add_features: feature })
    expect((await share(owner, id, stranger)).status).toBe(200)
    expect(firstError(await share(owner, id, sibling, 'READ_WRITE'))).toMatchObject({
      status: 400,
      parameter: 'granted_account_id',
    })
    expect(firstError(await share(owner, id, owner))).toMatchObject({ status: 400, parameter: 'granted_account_id' })
    expect(firstError(await share(owner, id, 'zzz'))).toMatchObject({
      status: 403,
      code: 'ACCOUNT_NOT_FOUND',
      parameter: 'granted_account_id',
    })
    expect(firstError(await share(owner, id, sibling, 'WRITE'))).toMatchObject({
      status: 400,
      details: 'must be one of READ_ONLY, READ_WRITE',
    })
  })

  test('are the same records in version 5 under the older names', async () => {
    const [owner, other, third] = [
      await account({ business: 'b3' }),
      await account({ business: 'b3' }),
      await account({ business: 'b3' }),
    ]
    const { id } = (await at(owner, 'POST', 'custom_audiences', { name: 'Old' })).body.data
    const five = (method: string, path = '', query = '') =>
      scene.server.request(
        method,
        `/ads-sandbox/5/accounts/${owner}/tailored_audiences/${id}/permissions${path}${query}`,
        { as: ALICE },
      )
    const given = await five('POST', '', `?granted_account_id=${other}&permission_level=READ_WRITE`)
    expect(given.body.data).toMatchObject({
      tailored_audience_id: id,
      granted_account_id: other,
      permission_level: 'READ_WRITE',
    })
    await share(owner, id, third)
    const listed = await five('GET', '', '?with_total_count=true&sort_by=created_at-desc')
    expect(listed.body).toMatchObject({
      total_count: 2,
      data: [{ granted_account_id: third }, { granted_account_id: other }],
    })
    expect((await five('GET', '', `?granted_account_ids=${third}`)).body.data).toHaveLength(1)
    expect((await five('GET', '', `?tailored_audience_permission_ids=${given.body.data.id}`)).body.data).toHaveLength(1)
    const removed = await at(owner, 'DELETE', `custom_audiences/${id}/permissions/${given.body.data.id}`)
    expect(removed.body.data).toMatchObject({ custom_audience_id: id, deleted: true })
    expect(firstError(await five('DELETE', `/${given.body.data.id}`))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect((await five('GET')).body.data).toHaveLength(1)
  })

  test('let the granted account see the audience, and change it only for READ_WRITE, but never share or delete it', async () => {
    const [owner, reader] = [await account({ business: 'b4' }), await account({ business: 'b4' })]
    const { id } = (await at(owner, 'POST', 'custom_audiences', { name: 'Lent' })).body.data
    expect(firstError(await at(reader, 'GET', `custom_audiences/${id}`))).toMatchObject({
      status: 404,
      code: 'TAILORED_AUDIENCE_NOT_FOUND',
    })
    const permission = (await share(owner, id, reader)).body.data.id
    const seen = { id, is_owner: false, owner_account_id: owner, permission_level: 'READ_ONLY' }
    expect((await at(reader, 'GET', 'custom_audiences', { permission_scope: 'SHARED' })).body.data).toMatchObject([
      seen,
    ])
    expect((await at(reader, 'GET', 'custom_audiences')).body.data).toEqual([])
    expect((await at(owner, 'GET', 'custom_audiences', { permission_scope: 'SHARED' })).body.data).toEqual([])
    expect((await at(reader, 'GET', `custom_audiences/${id}`)).body.data).toMatchObject(seen)
    const not = { status: 403, code: 'ACTION_NOT_ALLOWED', parameter: 'custom_audience_id' }
    expect(firstError(await at(reader, 'PUT', `custom_audiences/${id}`, { name: 'Mine' }))).toMatchObject(not)
    expect(firstError(await at(reader, 'DELETE', `custom_audiences/${id}`))).toMatchObject(not)
    expect(firstError(await share(reader, id, owner))).toMatchObject(not)
    expect(firstError(await at(reader, 'DELETE', `custom_audiences/${id}/permissions/${permission}`))).toMatchObject(
      not,
    )
    await at(owner, 'DELETE', `custom_audiences/${id}/permissions/${permission}`)
    expect((await at(reader, 'GET', `custom_audiences/${id}`)).status).toBe(404)
    await share(owner, id, reader, 'READ_WRITE')
    expect((await at(reader, 'PUT', `custom_audiences/${id}`, { name: 'Ours' })).body.data).toMatchObject({
      name: 'Ours',
      is_owner: false,
    })
    expect((await at(owner, 'GET', `custom_audiences/${id}`)).body.data.name).toBe('Ours')
  })
})

describe('what targets an audience', () => {
  /** Targets an audience as the targeting criteria call does, whatever its size. */
  const target = (lineItem: string, id: string, more: { operator?: string; deleted?: boolean } = {}) =>
    scene.server.runtime.database.query({
      text: `insert into ads_targeting_criterion (id, account_id, line_item_id, targeting_type, targeting_value, value_id, operator_type, created_at, updated_at, deleted)
             select $1, account_id, id, 'CUSTOM_AUDIENCE', $3::text, $4, $5, created_at, created_at, $6 from ads_line_item where id = $2`,
      values: [
        scene.server.runtime.ids.next(),
        decimal(lineItem),
        id,
        decimal(id),
        more.operator ?? 'EQ',
        more.deleted ?? false,
      ],
    })
  const decimal = (id: string) =>
    [...id].reduce((sum, sign) => sum * 36n + BigInt(Number.parseInt(sign, 36)), 0n).toString()

  /** Gives a line item a post to show. */
  const show = async (line_item_id: string): Promise<string> => {
    const text = `Shown by ${line_item_id}`
    const post = await scene.made('post', { as_user_id: scene.server.userId('alice'), text })
    return (await scene.made('promoted_posts', { line_item_id, post_ids: post.id_str }))[0].id
  }

  test('is listed by campaign: servable line items, and with with_active=false the others too', async () => {
    const id = await audience('Targeted')
    const [first, second] = [await scene.campaign({ name: 'First' }), await scene.campaign({ name: 'Second' })]
    const serving = await scene.lineItem({ campaign_id: first, name: 'Serving' })
    const paused = await scene.lineItem({ campaign_id: first, entity_status: 'PAUSED' })
    const ended = await scene.lineItem({ campaign_id: second, start_time: '2026-01-01', end_time: '2026-01-02' })
    const excluding = await scene.lineItem({ campaign_id: first })
    const released = await scene.lineItem({ campaign_id: first })
    const empty = await scene.lineItem({ campaign_id: first, name: 'Empty' })
    for (const item of [serving, paused, ended]) await show(item)
    for (const item of [serving, paused, ended, empty]) await target(item, id)
    await target(excluding, id, { operator: 'NE' })
    await target(released, id, { deleted: true })
    const active = await scene.get(`custom_audiences/${id}/targeted`)
    expect(active.body).toEqual({
      request: { params: { account_id: scene.account, custom_audience_id: id } },
      data: [
        { campaign_id: first, campaign_name: 'First', line_items: [{ id: serving, name: 'Serving', servable: true }] },
      ],
      next_cursor: null,
    })
    const all = await scene.get(`custom_audiences/${id}/targeted`, { with_active: false })
    expect(all.body.data).toEqual([
      {
        campaign_id: first,
        campaign_name: 'First',
        line_items: [
          { id: serving, name: 'Serving', servable: true },
          { id: paused, name: null, servable: false },
          { id: empty, name: 'Empty', servable: false },
        ],
      },
      { campaign_id: second, campaign_name: 'Second', line_items: [{ id: ended, name: null, servable: false }] },
    ])
    const shown = await show(empty)
    expect((await scene.get(`custom_audiences/${id}/targeted`)).body.data[0].line_items).toHaveLength(2)
    await scene.delete(`promoted_posts/${shown}`)
    expect((await scene.get(`custom_audiences/${id}/targeted`)).body.data[0].line_items).toHaveLength(1)
    await scene.put(`campaigns/${first}`, { entity_status: 'PAUSED' })
    expect((await scene.get(`custom_audiences/${id}/targeted`)).body.data).toEqual([])
  })

  test('comes in pages of 200 campaigns', async () => {
    const id = await audience('Widely targeted')
    await scene.server.command('ads.account.set', { account: scene.account, campaign_cap: 1_000 })
    const item = decimal(await scene.lineItem())
    // 201 campaigns like this one, each with its line item and criterion.
    await scene.server.runtime.database.query({
      text: `with c as (insert into ads_campaign select (jsonb_populate_record(c, jsonb_build_object('id', c.id + n))).* from ads_campaign c, generate_series(1, 201) n
                         where c.id = (select campaign_id from ads_line_item where id = $1) returning id)
             insert into ads_line_item select (jsonb_populate_record(l, jsonb_build_object('id', l.id + c.id - l.campaign_id, 'campaign_id', c.id))).* from ads_line_item l, c where l.id = $1`,
      values: [item],
    })
    await scene.server.runtime.database.query({
      text: `insert into ads_targeting_criterion (id, account_id, line_item_id, targeting_type, targeting_value, value_id, operator_type, created_at, updated_at)
             select id, account_id, id, 'CUSTOM_AUDIENCE', '', $2, 'EQ', created_at, created_at from ads_line_item where id > $1`,
      values: [item, decimal(id)],
    })
    const all = { with_active: false }
    const page = await scene.get(`custom_audiences/${id}/targeted`, all)
    expect(page.body.data).toHaveLength(200)
    const rest = await scene.get(`custom_audiences/${id}/targeted`, { ...all, cursor: page.body.next_cursor })
    expect(rest.body).toMatchObject({ data: [{ line_items: [{ servable: false }] }], next_cursor: null })
    expect(firstError(await scene.get(`custom_audiences/${id}/targeted`, { cursor: 'made-up' }))).toMatchObject({
      status: 400,
      parameter: 'cursor',
    })
  })
})
