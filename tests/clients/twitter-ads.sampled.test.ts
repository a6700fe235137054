import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type AdsScene, startAdsScene } from '../ads/ads-scene.ts'
import { makePromotion, makeViewer, type Promotion, serve } from '../ads/served-ads.ts'

// The official client of the advertising interface is a Python package: `pip install twitter-ads`. It asks for version 11.
const isWanted = inject('sampling').cases !== 'some'
const python = process.env.ROSTRA_TEST_PYTHON ?? 'python3'
const hasClient = isWanted && spawnSync(python, ['-c', 'import twitter_ads'], { stdio: 'ignore' }).status === 0
if (isWanted && !hasClient) process.stderr.write(`\n!! ${python} HAS NO twitter_ads: ITS TESTS ARE SKIPPED.\n\n`)

const HOUR_MS = 3_600_000
const wholeHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS

// What each step prints is compared below. The client has no method for reach, but its request signs any path.
const SCRIPT = `
import json, sys, twitter_ads.http
from datetime import datetime, timedelta
from twitter_ads.client import Client
from twitter_ads.campaign import Campaign, FundingInstrument, LineItem
from twitter_ads.creative import PromotedTweet
from twitter_ads.enum import GRANULARITY, METRIC_GROUP, SEGMENTATION_TYPE
from twitter_ads.http import Request
facts = json.loads(sys.argv[1])
twitter_ads.http.Request._DEFAULT_DOMAIN = facts['base']
client = Client(*facts['keys'])
account = client.accounts(facts['account'])
kinds = {'campaign': Campaign, 'lineItem': LineItem, 'promoted': PromotedTweet, 'funding': FundingInstrument}
span = {name: datetime.strptime(facts[name], '%Y-%m-%dT%H:%M:%S.000Z') for name in ('start_time', 'end_time')}
groups = [METRIC_GROUP.ENGAGEMENT, METRIC_GROUP.BILLING]

def queue(**more):
    return Campaign.queue_async_stats_job(account, [facts['campaign']], groups, granularity=GRANULARITY.TOTAL, **span, **more).id

def reach(of, **ids):
    until = span['end_time'] + timedelta(days=1)
    days = {'start_time': span['start_time'].strftime('%Y-%m-%d'), 'end_time': until.strftime('%Y-%m-%d')}
    return Request(client, 'get', '/11/stats/accounts/%s/reach/%s' % (account.id, of), params={**ids, **days}).perform().body['data']

if facts['step'] == 'ask':
    found = {
        'campaigns': [each.id for each in account.campaigns()],
        'stats': {name: kind.all_stats(account, [facts[name]], groups, granularity=GRANULARITY.TOTAL, **span)[0]['id_data'][0]['metrics']
                  for name, kind in kinds.items()},
        'hours': account.campaigns(facts['campaign']).stats(groups, **span)[0]['id_data'][0]['metrics']['impressions'],
        'active': {name: [each['entity_id'] for each in kind.active_entities(account, **span)] for name, kind in kinds.items()},
        'reach': reach('campaigns', campaign_ids=facts['campaign']) + reach('funding_instruments', funding_instrument_ids=facts['funding']),
        'jobs': [str(queue()), str(queue(segmentation_type=SEGMENTATION_TYPE.PLATFORMS))],
    }
else:
    jobs = {str(job.id): job for job in Campaign.async_stats_job_result(account, job_ids=facts['jobs'])}
    found = [{'status': jobs[id].status, 'file': Campaign.async_stats_job_data(account, jobs[id].url)} for id in facts['jobs']]
print(json.dumps(found))
`

describe.runIf(hasClient)('the official client on version 11', () => {
  let scene: AdsScene
  let promotion: Promotion
  beforeAll(async () => {
    scene = await startAdsScene([], { environment: 'production' })
    promotion = await makePromotion(scene)
    const [first, second] = [await makeViewer(scene), await makeViewer(scene)]
    const at = wholeHour - 5 * HOUR_MS
    await serve(scene, [
      { promotion, viewer: first, at, outcomes: ['impressions', 'reposts'], charge: 300_000 },
      { promotion, viewer: first, at: at + HOUR_MS, outcomes: ['impressions'] },
      { promotion, viewer: second, at, outcomes: ['impressions'], charge: 20_000 },
    ])
  })
  afterAll(() => scene.close())

  async function run(facts: object) {
    const { consumerKey, consumerSecret, token, tokenSecret } = scene.server.keysOf('alice')
    const span = {
      start_time: new Date(wholeHour - 48 * HOUR_MS).toISOString(),
      end_time: new Date(wholeHour).toISOString(),
    }
    const keys = [consumerKey, consumerSecret, token, tokenSecret]
    const all = JSON.stringify({ base: scene.server.baseUrl, keys, ...promotion, ...span, ...facts })
    return JSON.parse((await promisify(execFile)(python, ['-W', 'ignore', '-c', SCRIPT, all])).stdout)
  }

  test('reads statistics, active entities and reach, and downloads what its jobs have counted', async () => {
    const { campaigns, stats, hours, active, reach, jobs } = await run({ step: 'ask' })
    const { campaign, lineItem, promoted, funding } = promotion
    expect(campaigns).toEqual([campaign])
    const counted = { impressions: [3], retweets: [1], billed_charge_local_micro: [320_000] }
    for (const name of ['campaign', 'lineItem', 'promoted', 'funding']) expect(stats[name]).toMatchObject(counted)
    expect([hours.length, ...hours.slice(43, 45)]).toEqual([48, 2, 1])
    expect(active).toEqual({ campaign: [campaign], lineItem: [lineItem], promoted: [promoted], funding: [funding] })
    expect(reach).toEqual([campaign, funding].map((id) => ({ id, total_audience_reach: 2, average_frequency: 1.5 })))
    await scene.server.command('ads.work')
    const [whole, segmented] = await run({ step: 'download', jobs })
    expect([whole.status, segmented.status]).toEqual(['SUCCESS', 'SUCCESS'])
    expect(whole.file.data[0].id_data).toMatchObject([{ segment: null, metrics: counted }])
    const sum = (segmented.file.data[0].id_data as { metrics: { impressions: number[] | null } }[])
      .map(({ metrics }) => metrics.impressions?.[0] ?? 0)
      .reduce((a, b) => a + b, 0)
    expect(sum).toBe(3)
  })
})
