import { afterAll, beforeAll, expect, test } from 'vitest'
import type { As } from '../support/server.ts'
import { type AdsScene, ALICE, startAdsScene } from './ads-scene.ts'

let scene: AdsScene
beforeAll(async () => {
  scene = await startAdsScene()
})
afterAll(() => scene.close())

const refusalFor = async (as: As) => {
  const { status, body } = await scene.get('campaigns', {}, as)
  const { code, details } = body.errors[0]
  return [status, code, details]
}

test('a suspended user is refused with CURRENT_USER_SUSPENDED', async () => {
  await scene.server.command('user.update', { user: 'alice', suspended: true })
  expect(await refusalFor(ALICE)).toEqual([403, 'CURRENT_USER_SUSPENDED', 'the user is suspended'])
  await scene.server.command('user.update', { user: 'alice', suspended: false })
  expect((await scene.get('campaigns')).status).toBe(200)
})

test('a suspended app is refused with UNAUTHORIZED_CLIENT_APPLICATION', async () => {
  const app = await scene.server.command('app.create', { name: 'A user app', owner: 'alice' })
  const token = await scene.server.command('user.token', { user: 'alice', app: app.id })
  await scene.server.command('app.update', { app: app.id, suspended: true })
  const keys = {
    consumerKey: app.api_key,
    consumerSecret: app.api_key_secret,
    token: token.access_token,
    tokenSecret: token.access_token_secret,
  }
  expect(await refusalFor({ keys })).toEqual([403, 'UNAUTHORIZED_CLIENT_APPLICATION', 'the app is suspended'])
})

test('a request without valid credentials is refused with UNAUTHORIZED_ACCESS', async () => {
  expect(await refusalFor('nobody')).toEqual([401, 'UNAUTHORIZED_ACCESS', undefined])
  expect(await refusalFor({ bearer: 'unknown' })).toEqual([401, 'UNAUTHORIZED_ACCESS', undefined])
})

test('what fails on the server is INTERNAL_ERROR, and says nothing of the cause', async () => {
  const { pool } = scene.server.runtime.database
  await pool.query('alter table ads_campaign rename to ads_campaign_away')
  try {
    const answer = await scene.get('campaigns', { q: 'x' })
    expect(answer.status).toBe(500)
    expect(answer.body.errors).toEqual([{ code: 'INTERNAL_ERROR', message: 'Something went wrong on the server' }])
  } finally {
    await pool.query('alter table ads_campaign_away rename to ads_campaign')
  }
  expect((await scene.get('campaigns', { q: 'x' })).status).toBe(200)
})
