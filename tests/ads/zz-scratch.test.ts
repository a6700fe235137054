import { afterAll, beforeAll, expect, test } from 'vitest'
import { targetingValue } from '../../src/ads/targeting/targeting-value.ts'
import { idAt } from '../../src/process/ids.ts'
import { type AdsScene, startAdsScene } from './ads-scene.ts'
let scene: AdsScene
beforeAll(async () => { scene = await startAdsScene() })
afterAll(() => scene.close())
test('large', async () => {
  const db = scene.server.house.database
  const base = idAt(scene.server.house.clock.now() - 20 * 86400_000)
  const q = (text: string, values: unknown[] = []) => db.query({ text, values })
  await q(`insert into user_account (id, username, name, location, created_at) select $1::bigint + n, 'u'||n, 'u'||n, (array['Porto','Kyoto','Berlin','','Austin, TX'])[1+n%5], '2026-01-01' from generate_series(1,100000) n`, [base])
  await q(`insert into user_metrics (user_id) select $1::bigint + n from generate_series(1,100000) n`, [base])
  await q(`insert into post (id, author_id, text, display_end, lang, conversation_id, first_version_id, search)
     select $1::bigint + n*4194304::bigint*4, $1::bigint + 1 + n%100000, 'x', 1, (array['en','pt','ja'])[1+n%3], $1::bigint+n, $1::bigint + n*4194304::bigint*4,
       (case when n%2=0 then '''river'':1 ''running'':2' when n%7=0 then '''christmas'':1 ''tree'':2' else '''word'||n%1000||''':1' end)::tsvector from generate_series(1,400000) n`, [base])
  await q(`insert into follow (source_id, target_id, id) select $1::bigint + n, $1::bigint + 1 + (n*k)%1000, $1::bigint+n*20+k from generate_series(1,100000) n, generate_series(1,10) k on conflict do nothing`, [base])
  await q('vacuum analyze user_account'); await q('vacuum analyze post'); await q('vacuum analyze follow')
  const timed = async (name: string, work: () => Promise<{ status: number; text: string }>) => {
    const t0 = performance.now(); const a = await work(); console.log(name, a.status, Math.round(performance.now() - t0), 'ms', a.text.slice(-120)) ; expect(a.status).toBe(200) }
  const c = (targeting_type: string, targeting_value: string, operator_type = 'EQ') => ({ targeting_type, targeting_value, operator_type })
  const est = (...criteria: unknown[]) => () => scene.json('POST', 'audience_estimate', { targeting_criteria: criteria })
  await timed('keyword', est(c('PHRASE_KEYWORD', 'river')))
  await timed('keyword not', est(c('PHRASE_KEYWORD', 'river'), c('PHRASE_KEYWORD', 'christmas', 'NE')))
  await timed('keyword+country+lang', est(c('PHRASE_KEYWORD', 'river'), c('LOCATION', targetingValue('country', 'PT')), c('LANGUAGE', 'pt')))
  await timed('all but', est(c('PHRASE_KEYWORD', 'river', 'NE'), c('LOCATION', targetingValue('country', 'US')), c('LANGUAGE', 'pt', 'NE')))
  await timed('similar', est(c('SIMILAR_TO_FOLLOWERS_OF_USER', String(BigInt(base) + 5n))))
  await timed('events', () => scene.call('GET', 'targeting_criteria/events', { count: 200 }))
  await timed('events again', () => scene.call('GET', 'targeting_criteria/events', { count: 200 }))
  await timed('suggest users', () => scene.get('targeting_suggestions', { suggestion_type: 'USER_ID', targeting_values: String(BigInt(base) + 5n) }))
  await timed('suggest words', () => scene.get('targeting_suggestions', { suggestion_type: 'KEYWORD', targeting_values: 'river' }))
  await timed('shows', () => scene.call('GET', 'targeting_criteria/tv_shows', { locale: 'en-US' }))
  await timed('locations', () => scene.call('GET', 'targeting_criteria/locations', { q: 'san' }))
}, 300_000)
