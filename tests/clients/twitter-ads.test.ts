import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

// The official client of the advertising interface is a Python package: `pip install twitter-ads`.
const hasClient = spawnSync('python3', ['-c', 'import twitter_ads']).status === 0

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const SCRIPT = `
import json, sys, twitter_ads.http
from datetime import datetime, timedelta
from twitter_ads.client import Client
from twitter_ads.campaign import Campaign
from twitter_ads.enum import GRANULARITY, METRIC_GROUP
facts = json.loads(sys.argv[1])
twitter_ads.http.Request._DEFAULT_DOMAIN = facts['base']
account = list(Client(*facts['keys']).accounts())[0]
campaign = Campaign(account)
campaign.funding_instrument_id = list(account.funding_instruments())[0].id
campaign.name = 'From the official client'
campaign.daily_budget_amount_local_micro = 5000000
campaign.save()
end = datetime.utcnow().replace(minute=0, second=0, microsecond=0)
span = {'start_time': end - timedelta(days=2), 'end_time': end}
if facts['step'] == 'queue':
    groups = [METRIC_GROUP.ENGAGEMENT, METRIC_GROUP.BILLING]
    stats = Campaign.all_stats(account, [campaign.id], groups, granularity=GRANULARITY.HOUR, **span)
    job = Campaign.queue_async_stats_job(account, [campaign.id], groups, granularity=GRANULARITY.TOTAL, **span)
    active = Campaign.active_entities(account, end - timedelta(days=2), end)
    print(json.dumps({'campaign': campaign.id, 'stats': stats, 'job': str(job.id), 'active': active}))
else:
    job = Campaign.async_stats_job_result(account, job_ids=[facts['job']]).first
    print(json.dumps({'status': job.status, 'file': Campaign.async_stats_job_data(account, job.url)}))
`

async function run(facts: object) {
  const { consumerKey, consumerSecret, token, tokenSecret } = server.keysOf('alice')
  const keys = [consumerKey, consumerSecret, token, tokenSecret]
  const all = JSON.stringify({ base: server.baseUrl, keys, ...facts })
  return JSON.parse((await promisify(execFile)('python3', ['-c', SCRIPT, all])).stdout)
}

test.skipIf(!hasClient)(
  'the official client reads statistics, queues a job and downloads its file on version 11',
  async () => {
    const { campaign, stats, job, active } = await run({ step: 'queue' })
    expect(stats[0].id).toBe(campaign)
    expect(Object.keys(stats[0].id_data[0].metrics)).toEqual(
      expect.arrayContaining(['impressions', 'retweets', 'billed_charge_local_micro']),
    )
    expect(active).toEqual([])
    await server.command('ads.work')
    const { status, file } = await run({ step: 'result', job })
    expect([status, file.data[0].id]).toEqual(['SUCCESS', campaign])
  },
)
