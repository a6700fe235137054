import { change, type Invalidate, type Runtime } from '../../../api-kit/runtime.ts'
import { isStorableId } from '../../../process/ids.ts'
import type { Tx } from '../../../storage/database.ts'
import { statement } from '../../../storage/statement.ts'
import { invalidateAll } from '../../invalidate-all.ts'
import { claimWorld } from '../../world-lock.ts'
import type { World } from '../world.schema.ts'
import { type ItemKind, WorldItems } from '../world-items.ts'
import { WorldReport } from '../world-report.ts'
import { applyAdsAccounts } from './apply-ads.ts'
import { applyApps } from './apply-apps.ts'
import { applyCommunities } from './apply-communities.ts'
import { applyRules, applySubscriptions, applyWebhooks } from './apply-listeners.ts'
import { applyLists, listKeys } from './apply-lists.ts'
import { applyMarks } from './apply-marks.ts'
import { applyMessages, messageKeys } from './apply-messages.ts'
import { applyPosts } from './apply-posts.ts'
import { applyRelations } from './apply-relations.ts'
import { applyReposts } from './apply-reposts.ts'
import { applyTokens } from './apply-tokens.ts'
import { applyUsers } from './apply-users.ts'
import { Applying } from './applying.ts'
import { postKeys, postReferences } from './find-posts.ts'
import { userNames } from './referenced-users.ts'

/** Thrown at the end of a dry run, so the transaction is rolled back. */
class DryRunEnded extends Error {}

const pinsSet = statement(
  'world_pins_set',
  { id: 'int8' },
  `update user_account u set pinned_post_id = p.post_id from unnest($1::bigint[], $2::bigint[]) as p (user_id, post_id)
    where u.id = p.user_id and u.pinned_post_id is distinct from p.post_id returning u.id`,
)

/**
 * Makes the world contain what a file describes, all of it or nothing. What exists already is changed where it differs, and what
 * the file does not mention stays. Nothing that is created is an event: it counts as having been there before. A dry run does
 * the same and rolls it back, so its report is exact.
 */
export async function applyWorld(
  runtime: Runtime,
  world: World,
  { dryRun }: { dryRun: boolean },
): Promise<WorldReport> {
  let report = new WorldReport()
  try {
    await change(runtime, async (tx, invalidate) => {
      report = await applyWorldIn(tx, invalidate, runtime, world, { dryRun })
      if (dryRun) throw new DryRunEnded()
    })
  } catch (error) {
    if (!(error instanceof DryRunEnded)) throw error
  }
  if (report.hasChanges && !dryRun) await invalidateAll(runtime)
  runtime.bus.wake('outbox')
  return report
}

/** The same in a transaction of the caller, who empties all caches afterwards. */
export async function applyWorldIn(
  tx: Tx,
  invalidate: Invalidate,
  runtime: Runtime,
  world: World,
  { dryRun }: { dryRun: boolean },
): Promise<WorldReport> {
  await claimWorld(tx)
  const keys = postKeys(world)
  const items = await WorldItems.load(tx, runtime.secretBox, itemNames(world, keys))
  const report = new WorldReport()
  const now = runtime.clock.now()
  const run = new Applying({ tx, runtime, invalidate, world, items, report, now, isDryRun: dryRun })
  await applyAll(run, keys)
  await items.store(tx, runtime.secretBox)
  return report
}

async function applyAll(run: Applying, keys: readonly (string | undefined)[]): Promise<void> {
  const { world } = run
  await run.storing('users', () => applyUsers(run, userNames(world)))
  const appNames = appReferences(world)
  await run.storing('apps', () => applyApps(run, { names: appNames, ids: appNames.filter(isStorableId) }))
  await run.storing('users', async () => {
    await applyTokens(run)
    await applyRelations(run)
  })
  await run.storing('communities', () => applyCommunities(run))
  await run.storing('posts', async () => {
    await applyPosts(run, keys)
    await applyMarks(run)
    await applyReposts(run)
  })
  await applyPins(run)
  await run.storing('lists', () => applyLists(run))
  const webhooks = await run.storing('webhooks', () => applyWebhooks(run))
  await run.storing('rules', () => applyRules(run))
  await run.storing('activity_subscriptions', () => applySubscriptions(run, webhooks))
  await run.storing('messages', () => applyMessages(run, messageKeys(world)))
  await run.storing('ads_accounts', () => applyAdsAccounts(run))
}

/** What apps a file refers to. */
const appReferences = (world: World): string[] => [
  ...(world.users ?? []).flatMap((user) => (user.tokens ?? []).map((token) => token.app)),
  ...(world.posts ?? []).flatMap((post) => post.app ?? []),
  ...[...(world.webhooks ?? []), ...(world.rules ?? []), ...(world.activity_subscriptions ?? [])].map(
    (item) => item.app,
  ),
]

/** The keys that a file uses. */
function itemNames(world: World, keys: readonly (string | undefined)[]): { kind: ItemKind; key: string }[] {
  const of = (kind: ItemKind, names: readonly (string | undefined)[]) =>
    names.flatMap((key) => (key === undefined ? [] : [{ kind, key }]))
  return [
    ...of(
      'user',
      (world.users ?? []).map((user) => user.username.toLowerCase()),
    ),
    ...of('app', [...new Set([...(world.apps ?? []).map((app) => app.key ?? app.name), ...appReferences(world)])]),
    ...of('list', listKeys(world.lists ?? [])),
    ...of('community', [
      ...(world.communities ?? []).map((community) => community.key ?? community.name),
      ...(world.posts ?? []).map((post) => post.community),
    ]),
    ...of('message', messageKeys(world)),
    ...of('group', [...new Set((world.messages ?? []).map((message) => message.group))]),
    ...of(
      'ads_account',
      (world.ads_accounts ?? []).map((account) => account.key ?? account.name),
    ),
    ...of('post', [...new Set([...keys, ...postReferences(world)])]),
  ]
}

async function applyPins(run: Applying): Promise<void> {
  const pins = (run.world.users ?? []).flatMap((user, at) => {
    if (user.pinned_post === undefined) return []
    const postId = run.posts.get(user.pinned_post)
    if (postId === undefined)
      run.fault(`users[${at}].pinned_post`, user.pinned_post, `there is no post ${user.pinned_post}`)
    return [{ user, userId: run.users.get(user.username.toLowerCase())!.id, postId: postId! }]
  })
  run.stopOnFaults()
  if (pins.length === 0) return
  const changed = await pinsSet.all(
    run.tx,
    pins.map((pin) => pin.userId),
    pins.map((pin) => pin.postId),
  )
  const ids = new Set(changed.map((row) => row.id))
  for (const { user, userId } of pins)
    run.report.add(ids.has(userId) ? 'created' : 'unchanged', 'pin', `@${user.username}`)
}
