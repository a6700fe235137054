import { filterFaults } from '../../../activity/check-subscription.ts'
import { activityType } from '../../../activity/event-types.ts'
import { activitySubscriptionAdd } from '../../../activity/subscription.statements.ts'
import type { Tier } from '../../../api-kit/declaring/caller.ts'
import { emit } from '../../../events/emit.ts'
import { capOf } from '../../../identity/tier-caps.ts'
import { statement } from '../../../storage/statement.ts'
import { ruleFaults } from '../../../streams/rules/change-rules.ts'
import { rulesAdd } from '../../../streams/rules/rule.statements.ts'
import { type ChallengeResult, challenge } from '../../../webhooks/challenge.ts'
import { checkWebhookUrl } from '../../../webhooks/configure-webhooks.ts'
import { storeTranscript } from '../../../webhooks/record-challenge.ts'
import { webhookAdd } from '../../../webhooks/webhook.statements.ts'
import type { Applying, KnownApp } from './applying.ts'

const webhooksRead = statement(
  'world_webhooks_read',
  { id: 'int8', app_id: 'int8', url: 'text' },
  'select id, app_id, url from webhook where app_id = any($1::bigint[]) order by id',
)
const secretRead = statement(
  'world_app_secret_read',
  { api_key_secret_sealed: 'bytea' },
  'select api_key_secret_sealed from client_app where id = $1',
)
const rulesRead = statement(
  'world_rules_read',
  { id: 'int8', app_id: 'int8', value: 'text', tag: 'text?' },
  `select id, app_id, value, tag from stream_rule where app_id = any($1::bigint[]) and product = 'filtered'`,
)
const ruleTag = statement('world_rule_tag', {}, 'update stream_rule set tag = $2 where id = $1')
const subscriptionsRead = statement(
  'world_subscriptions_read',
  {
    id: 'int8',
    app_id: 'int8',
    event_type: 'text',
    user_id: 'int8?',
    keyword: 'text?',
    direction: 'text?',
    tag: 'text?',
    webhook_id: 'int8?',
  },
  'select id, app_id, event_type, user_id, keyword, direction, tag, webhook_id from activity_subscription where app_id = any($1::bigint[])',
)
const subscriptionTag = statement(
  'world_subscription_tag',
  {},
  'update activity_subscription set tag = $2, updated_at = $3 where id = $1',
)

const appsOf = (run: Applying, section: 'webhooks' | 'rules' | 'activity_subscriptions'): (KnownApp | undefined)[] =>
  (run.world[section] ?? []).map((draft, index) => run.app(draft.app, `${section}[${index}].app`))
const idsOf = (apps: readonly (KnownApp | undefined)[]): string[] => [...new Set(apps.map((app) => app!.id))]

/** Creates the webhooks of a file. One that exists stays as it is. Returns their ids by app and name. */
export async function applyWebhooks(run: Applying): Promise<Map<string, string>> {
  const drafts = run.world.webhooks ?? []
  const apps = appsOf(run, 'webhooks')
  const listening = appsOf(run, 'activity_subscriptions')
  run.stopOnFaults()
  const ids = new Map<string, string>()
  const rows = await webhooksRead.all(run.tx, idsOf([...apps, ...listening]))
  for (const row of rows) for (const name of [row.id, row.url]) ids.set(`${row.app_id} ${name}`, row.id)
  const now = new Date(run.runtime.clock.now())
  for (const [index, draft] of drafts.entries()) {
    const where = `webhooks[${index}]`
    const app = apps[index]!
    const known = ids.get(`${app.id} ${draft.url}`)
    if (known !== undefined && draft.id !== undefined && draft.id !== known)
      run.fault(`${where}.id`, draft.id, `the webhook exists with the id ${known}, and an id cannot change`)
    const id = known ?? draft.id ?? run.runtime.ids.next()
    if (known === undefined) {
      await run.checking(`${where}.url`, draft.url, () =>
        checkWebhookUrl(draft.url, run.runtime.outgoing.privateAllowed),
      )
      let passed: ChallengeResult | undefined
      if (draft.challenge && !run.isDryRun) {
        const secret = run.runtime.secretBox.open((await secretRead.first(run.tx, app.id))!.api_key_secret_sealed)
        const result = await challenge(run.runtime.outgoing, draft.url, secret)
        if (result.passed) passed = result
        else run.fault(`${where}.url`, draft.url, result.reason)
      }
      run.stopOnFaults()
      await webhookAdd.first(run.tx, id, app.id, draft.url, now, 'neutral')
      const about = { id, appId: app.id, url: draft.url, cause: 'registration' as const }
      if (passed) await storeTranscript(run.tx, run.runtime, about, passed)
    }
    for (const name of [draft.key ?? id, draft.url, id]) ids.set(`${app.id} ${name}`, id)
    run.report.add(known === undefined ? 'created' : 'unchanged', 'webhook', `${draft.url} of ${app.name}`)
  }
  run.stopOnFaults()
  return ids
}

/** Creates the rules of a file, and sets their tags. */
export async function applyRules(run: Applying): Promise<void> {
  const drafts = run.world.rules ?? []
  const apps = appsOf(run, 'rules')
  run.stopOnFaults()
  const rows = await rulesRead.all(run.tx, idsOf(apps))
  const existing = new Map(rows.map((row) => [`${row.app_id} ${row.value}`, row]))
  const fresh = new Map<string, { id: string; value: string; tag: string | null }[]>()
  const changed = new Set<string>()
  for (const [index, draft] of drafts.entries()) {
    const app = apps[index]!
    const row = existing.get(`${app.id} ${draft.value}`)
    if (row) {
      const isSame = draft.tag === undefined || draft.tag === row.tag
      if (!isSame) await ruleTag.count(run.tx, row.id, draft.tag!)
      if (!isSame) changed.add(app.id)
      run.report.add(isSame ? 'unchanged' : 'changed', 'rule', `${draft.value}: tag`)
      continue
    }
    const tier = { app: { tier: app.tier as Tier } }
    const faults = ruleFaults(draft.value, 'stream', capOf(tier, 'stream_rule_length'))
    for (const fault of faults) run.fault(`rules[${index}].value`, draft.value, fault)
    const rule = { id: draft.id ?? run.runtime.ids.next(), value: draft.value, tag: draft.tag ?? null }
    const others = fresh.get(app.id) ?? []
    if (others.some((item) => item.value === rule.value))
      run.fault(`rules[${index}].value`, draft.value, 'is there twice')
    fresh.set(app.id, [...others, rule])
    changed.add(app.id)
    run.report.add('created', 'rule', draft.value)
  }
  run.stopOnFaults()
  const now = new Date(run.runtime.clock.now())
  for (const [appId, rules] of fresh) {
    const [ids, values, tags] = [
      rules.map((rule) => rule.id),
      rules.map((rule) => rule.value),
      rules.map((rule) => rule.tag),
    ]
    await rulesAdd.count(run.tx, appId, 'filtered', ids, values, tags, now)
  }
  // Open streams read their rules again.
  for (const appId of changed)
    await emit(run.tx, run.runtime, { type: 'stream_rules.change', payload: { app_id: appId, product: 'filtered' } })
}

/** Creates the activity subscriptions of a file, and sets their tags. */
export async function applySubscriptions(run: Applying, webhooks: ReadonlyMap<string, string>): Promise<void> {
  const drafts = run.world.activity_subscriptions ?? []
  const apps = appsOf(run, 'activity_subscriptions')
  const rows = await subscriptionsRead.all(run.tx, idsOf(apps))
  const now = new Date(run.runtime.clock.now())
  for (const [index, draft] of drafts.entries()) {
    const where = `activity_subscriptions[${index}]`
    const app = apps[index]!
    const user = draft.user === undefined ? undefined : run.user(draft.user, `${where}.user`)
    const webhookId = draft.webhook === undefined ? null : webhooks.get(`${app.id} ${draft.webhook}`)
    if (webhookId === undefined) run.fault(`${where}.webhook`, draft.webhook, `the app ${app.name} has no such webhook`)
    const filter = {
      ...(user ? { user_id: user.id } : {}),
      ...(draft.keyword === undefined ? {} : { keyword: draft.keyword }),
      ...(draft.direction === undefined ? {} : { direction: draft.direction }),
    }
    const type = activityType(draft.event_type)
    if (draft.user === undefined || user)
      for (const fault of filterFaults(type, draft.event_type, filter))
        run.fault(where, undefined, String(fault.message).replace('$.filter.user_id', 'user').replace('$.filter.', ''))
    run.stopOnFaults()
    const row = rows.find(
      (item) =>
        item.app_id === app.id &&
        type.names.includes(item.event_type) &&
        item.user_id === (user?.id ?? null) &&
        item.keyword === (draft.keyword ?? null) &&
        item.direction === (draft.direction ?? null) &&
        item.webhook_id === (webhookId ?? null),
    )
    const what = `${draft.event_type} of ${app.name}`
    if (row) {
      const isSame = draft.tag === undefined || draft.tag === row.tag
      if (!isSame) await subscriptionTag.count(run.tx, row.id, draft.tag!, now)
      run.report.add(isSame ? 'unchanged' : 'changed', 'activity subscription', `${what}: tag`)
      continue
    }
    await activitySubscriptionAdd.first(
      run.tx,
      draft.id ?? run.runtime.ids.next(),
      app.id,
      draft.event_type,
      user?.id ?? null,
      draft.keyword ?? null,
      draft.direction ?? null,
      JSON.stringify(filter),
      draft.tag ?? null,
      webhookId ?? null,
      'neutral',
      now,
    )
    run.report.add('created', 'activity subscription', what)
  }
  run.stopOnFaults()
}
