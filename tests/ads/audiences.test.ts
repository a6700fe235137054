import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { As, TestAnswer } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

/** An enrolled app that is not on an allowlist, used by alice. */
async function appWithout({ server }: AdsScene): Promise<{ as: As }> {
  const app = await server.command('app.create', { name: 'On no list', owner: 'alice' })
  await server.command('ads.enrol', { app: app.id })
  const token = await server.command('user.token', { user: 'alice', app: app.id })
  return {
    as: {
      keys: {
        consumerKey: app.api_key,
        consumerSecret: app.api_key_secret,
        token: token.access_token,
        tokenSecret: token.access_token_secret,
      },
    },
  }
}

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const audience = async (name: string, more: Record<string, string> = {}): Promise<string> =>
  (await scene.made('custom_audiences', { name, ...more })).id
const batch = (json: unknown, as: As = ALICE): Promise<TestAnswer> =>
  scene.server.request('POST', `/ads-sandbox/12/batch/accounts/${scene.account}/custom_audiences`, { as, json })
const creates = (...params: Record<string, unknown>[]) =>
  batch(params.map((item) => ({ operation_type: 'Create', params: item })))
const mobile = async (name: string): Promise<string> =>
  (await creates({ name, audience_type: 'MOBILE_AUDIENCE' })).body.data[0].id
const firstError = (answer: TestAnswer) => ({ status: answer.status, ...answer.body.errors[0] })

describe('a custom audience', () => {
  test('is created empty, not targetable because it is being processed and too small, and owned by its account', async () => {
    const answer = await scene.post('custom_audiences', { name: 'Visitors', description: 'of the shop' })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      request: { params: { account_id: scene.account, name: 'Visitors', description: 'of the shop' } },
      data: {
        id: expect.stringMatching(/^[0-9a-z]+$/),
        name: 'Visitors',
        description: 'of the shop',
        audience_type: 'CRM',
        targetable: false,
        targetable_types: ['CRM', 'EXCLUDED_CRM'],
        reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'],
        audience_size: null,
        permission_level: 'READ_WRITE',
        owner_account_id: scene.account,
        is_owner: true,
        partner_source: 'OTHER',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted: false,
      },
    })
  })

  test('needs a name that no other live audience of the account has', async () => {
    expect(firstError(await scene.post('custom_audiences'))).toMatchObject({
      status: 400,
      code: 'MISSING_PARAMETER',
      parameter: 'name',
    })
    const id = await audience('Only one')
    expect(firstError(await scene.post('custom_audiences', { name: 'Only one' }))).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      parameter: 'name',
      value: 'Only one',
    })
    await scene.delete(`custom_audiences/${id}`)
    expect((await scene.post('custom_audiences', { name: 'Only one' })).status).toBe(200)
  })

  test('changes only what is sent, keeps its name unique, and does not echo its id', async () => {
    await audience('Taken')
    const id = await audience('Before', { description: 'kept' })
    const renamed = await scene.put(`custom_audiences/${id}`, { name: 'After' })
    expect(renamed.body.request).toEqual({ params: { account_id: scene.account, name: 'After' } })
    expect(renamed.body.data).toMatchObject({ id, name: 'After', description: 'kept', is_owner: true })
    expect((await scene.put(`custom_audiences/${id}`, { description: '' })).body.data.description).toBeNull()
    expect(firstError(await scene.put(`custom_audiences/${id}`, { name: 'Taken' }))).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      parameter: 'name',
    })
    expect((await scene.get(`custom_audiences/${id}`)).body.data.name).toBe('After')
  })

  test('is deleted softly: not found by reads, lists and further deletes unless with_deleted is true', async () => {
    const id = await audience('Leaving')
    expect((await scene.delete(`custom_audiences/${id}`)).body.data).toMatchObject({
      id,
      name: 'Leaving',
      deleted: true,
    })
    for (const again of [await scene.get(`custom_audiences/${id}`), await scene.delete(`custom_audiences/${id}`)])
      expect(firstError(again)).toMatchObject({
        status: 404,
        code: 'TAILORED_AUDIENCE_NOT_FOUND',
        parameter: 'custom_audience_id',
        value: id,
      })
    expect((await scene.get(`custom_audiences/${id}`, { with_deleted: true })).body.data.deleted).toBe(true)
    expect((await scene.get('custom_audiences', { q: 'leaving' })).body.data).toEqual([])
    expect((await scene.get('custom_audiences', { q: 'LEAV', with_deleted: true })).body.data).toHaveLength(1)
  })
})

describe('a batch of custom audiences', () => {
  test('creates mobile audiences and flexible ones from them, with ids in either case and all defaults', async () => {
    const [one, two] = [await mobile('Installers'), await mobile('Buyers')]
    const answer = await creates({
      name: 'Installers who did not buy',
      audience_type: 'FLEXIBLE',
      segments: {
        boolean_operator: 'AND',
        child_segments: [
          { custom_audience_id: one.toUpperCase(), lookback_window: 7 },
          { custom_audience_id: two, frequency: 2, frequency_comparator: 'NUM_GT', negate: true },
        ],
      },
    })
    expect(answer.status).toBe(200)
    const segments = {
      boolean_operator: 'AND',
      negate: false,
      child_segments: [
        {
          custom_audience_id: one,
          frequency: 1,
          frequency_comparator: 'NUM_GTE',
          lookback_window: 7,
          negate: false,
          child_segments: [],
        },
        { custom_audience_id: two, frequency: 2, frequency_comparator: 'NUM_GT', negate: true, child_segments: [] },
      ],
    }
    const [made] = answer.body.data
    expect(made).toMatchObject({
      audience_type: 'FLEXIBLE',
      targetable_types: ['FLEXIBLE', 'EXCLUDED_FLEXIBLE'],
      metadata: [
        {
          custom_audience_id: made.id,
          account_id: scene.account,
          name: 'Installers who did not buy',
          audience_source: 'FLEXIBLE_AUDIENCE',
          upload_status: 'UPLOADED',
          segments,
        },
      ],
    })
    expect(answer.body.request[0]).toMatchObject({
      operation_type: 'Create',
      params: { account_id: scene.account, segments },
    })
    expect((await scene.get(`custom_audiences/${one}`)).body.data).not.toHaveProperty('metadata')
  })

  test('refuses invalid flexible audiences, each for its reason, and creates nothing', async () => {
    const [leaf, plain] = [await mobile('A leaf'), await audience('Of customers')]
    const of = (...child_segments: unknown[]) => ({ boolean_operator: 'OR', child_segments })
    const refusals: [segments: unknown, error: Record<string, unknown>][] = [
      [undefined, { code: 'MISSING_PARAMETER', parameter: 'segments' }],
      [{}, { code: 'MISSING_PARAMETER', parameter: 'segments.custom_audience_id' }],
      [
        { child_segments: [{ custom_audience_id: leaf }] },
        { code: 'MISSING_PARAMETER', parameter: 'segments.boolean_operator' },
      ],
      [
        { boolean_operator: 'XOR', child_segments: [{ custom_audience_id: leaf }] },
        { code: 'INVALID_PARAMETER', parameter: 'segments.boolean_operator' },
      ],
      [
        of({ custom_audience_id: leaf, frequency: -1 }),
        { code: 'INVALID_PARAMETER', parameter: 'segments.child_segments[0].frequency' },
      ],
      [
        of({ custom_audience_id: leaf, frequency_comparator: 'MORE' }),
        { parameter: 'segments.child_segments[0].frequency_comparator' },
      ],
      [of({ custom_audience_id: leaf, lookback_window: 2 }), { details: 'must be one of 1, 7, 14, 30' }],
      [of({ custom_audience_id: leaf, negate: 'yes' }), { parameter: 'segments.child_segments[0].negate' }],
      [{ ...of({ custom_audience_id: leaf }), frequency: 1 }, { parameter: 'segments.frequency' }],
      [of(...Array(11).fill({ custom_audience_id: leaf })), { details: expect.stringContaining('at most 10') }],
      [{ custom_audience_id: 'zzz' }, { code: 'TAILORED_AUDIENCE_NOT_FOUND', parameter: 'segments', value: 'zzz' }],
      [{ custom_audience_id: plain }, { code: 'INVALID_TAILORED_AUDIENCE_TYPE', parameter: 'segments', value: plain }],
    ]
    for (const [segments, error] of refusals) {
      const answer = await creates(
        { name: 'Good', audience_type: 'MOBILE_AUDIENCE' },
        { name: 'Bad', audience_type: 'FLEXIBLE', segments },
      )
      expect(answer.status, JSON.stringify(segments)).toBe(400)
      expect(answer.body.operation_errors, JSON.stringify(segments)).toEqual([[], [expect.objectContaining(error)]])
    }
    expect((await scene.get('custom_audiences', { q: 'Good' })).body.data).toEqual([])
    const misplaced = await creates({
      name: 'Good',
      audience_type: 'MOBILE_AUDIENCE',
      segments: { custom_audience_id: leaf },
    })
    expect(misplaced.body.operation_errors[0][0]).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'segments' })
    expect((await creates({ name: 'Good', audience_type: 'CRM' })).body.operation_errors[0][0].parameter).toBe(
      'audience_type',
    )
  })

  test('never changes a flexible audience, in a batch or outside of one, but deletes it', async () => {
    const leaf = await mobile('Stable')
    const { id } = (await creates({ name: 'Fixed', audience_type: 'FLEXIBLE', segments: { custom_audience_id: leaf } }))
      .body.data[0]
    expect(firstError(await scene.put(`custom_audiences/${id}`, { name: 'Loose' }))).toMatchObject({
      status: 400,
      code: 'INVALID_TAILORED_AUDIENCE_TYPE',
    })
    const updated = await batch([{ operation_type: 'Update', params: { custom_audience_id: id, name: 'Loose' } }])
    expect(updated.body.operation_errors[0][0].code).toBe('INVALID_TAILORED_AUDIENCE_TYPE')
    const done = await batch([
      {
        operation_type: 'Update',
        params: { custom_audience_id: leaf, name: 'Renamed leaf', audience_type: 'MOBILE_AUDIENCE' },
      },
      { operation_type: 'Delete', params: { custom_audience_id: id } },
    ])
    expect(done.body.data).toMatchObject([{ name: 'Renamed leaf' }, { id, deleted: true }])
  })

  test('takes at most ten operations, refuses a name twice, and needs the allowlist', async () => {
    const many = await creates(
      ...Array.from({ length: 11 }, (_, n) => ({ name: `N${n}`, audience_type: 'MOBILE_AUDIENCE' })),
    )
    expect(firstError(many)).toMatchObject({ status: 400, code: 'REQUEST_TOO_COMPLEX' })
    const twice = await creates(
      { name: 'Twin', audience_type: 'MOBILE_AUDIENCE' },
      { name: 'Twin', audience_type: 'MOBILE_AUDIENCE' },
    )
    expect(twice.body.operation_errors).toEqual([
      [],
      [expect.objectContaining({ code: 'INVALID_PARAMETER', parameter: 'name' })],
    ])
    const { as } = await appWithout(scene)
    const body = [{ operation_type: 'Create', params: { name: 'Late', audience_type: 'MOBILE_AUDIENCE' } }]
    expect(firstError(await batch(body, as))).toMatchObject({
      status: 403,
      code: 'UNAUTHORIZED_CLIENT_APPLICATION',
      details: expect.stringContaining('batch_audiences'),
    })
  })
})
