import type { Runtime } from '../../../api-kit/runtime.ts'
import { transaction } from '../../../storage/database.ts'
import type { World } from '../world.schema.ts'
import { exportAdsAccounts } from './export-ads.ts'
import { exportApps, exportUsers } from './export-people.ts'
import { exportPosts } from './export-posts.ts'
import {
  exportCommunities,
  exportLists,
  exportMessages,
  exportRules,
  exportSubscriptions,
  exportWebhooks,
} from './export-things.ts'
import { Exporting } from './exporting.ts'

/**
 * Writes a world as a file would describe it, with all ids, so applying it to an empty server gives the same world. What a world
 * file cannot say (spaces, encrypted chat, notes, campaigns, earlier versions of posts) is left out.
 */
export function exportWorldFile(runtime: Runtime): Promise<World> {
  return transaction(runtime.database, async (tx) => {
    await tx.query({ text: 'set transaction isolation level repeatable read, read only' })
    const run = new Exporting(tx, runtime)
    const users = await exportUsers(run)
    const apps = await exportApps(run)
    const communities = await exportCommunities(run)
    const posts = await exportPosts(run, new Set(communities.map((community) => community.id!)))
    const known = new Set(posts.map((post) => post.id))
    const world = {
      users: users.map(({ pinned_post, ...user }) =>
        pinned_post !== undefined && known.has(pinned_post) ? { ...user, pinned_post } : user,
      ),
      apps,
      communities,
      posts,
      lists: await exportLists(run),
      webhooks: await exportWebhooks(run),
      rules: await exportRules(run),
      activity_subscriptions: await exportSubscriptions(run),
      messages: await exportMessages(run),
      ads_accounts: await exportAdsAccounts(run),
    }
    return Object.fromEntries(Object.entries(world).filter(([, items]) => items.length > 0)) as World
  })
}
