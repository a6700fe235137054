import { neutral } from '../api-kit/naming/naming.ts'
import { readContext } from '../api-kit/reading/read-context.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import { createApp } from '../identity/developers/create-app.ts'
import { issueAccessToken } from '../identity/oauth1/tokens.ts'
import { createCommunity } from '../social/communities/create-community.ts'
import { addNoticesOfPosts } from '../social/notifications/write-notifications.ts'
import { publishPost } from '../social/posts/create-post.ts'
import { createUser } from '../social/users/create-user.ts'
import { transaction } from '../storage/database.ts'
import { keepFact } from '../storage/instance-facts.ts'
import { statement } from '../storage/statement.ts'
import { storeFollows } from './bulk/store-follows.ts'
import { applyWorldIn } from './files/apply/apply-world.ts'
import type { World } from './files/world.schema.ts'
import { makeFirstAds } from './first-ads.ts'
import {
  FIRST_ADS,
  FIRST_APPS,
  FIRST_CALLBACKS,
  FIRST_COMMUNITY_ID,
  firstAppCaller,
  firstAppId,
  firstAppSecrets,
  firstPassword,
  firstTokenPair,
  firstUserId,
} from './first-facts.ts'
import { giveFirstOauth2Pairs } from './first-oauth2.ts'
import { FIRST_COMMUNITY, FIRST_PLACES, FIRST_POSTS, FIRST_USERS } from './first-world.data.ts'
import { invalidateAll } from './invalidate-all.ts'
import { FIRST_WORLD, storeSnapshot } from './snapshots/store-snapshot.ts'

const placesAdd = statement(
  'places_add',
  {},
  `insert into place (id, full_name, name, country, country_code, place_type, bbox, contained_within)
   select p.id, p.full_name, p.name, p.country, p.country_code, p.place_type, array(select jsonb_array_elements_text(p.bbox)::float8),
          array(select jsonb_array_elements_text(p.contained_within))
     from jsonb_to_recordset($1::jsonb) as p (id text, full_name text, name text, country text, country_code text, place_type text, bbox jsonb, contained_within jsonb)
   on conflict do nothing`,
)
const pinAdd = statement('first_world_pin', {}, 'update user_account set pinned_post_id = $2 where id = $1')

/** What a new database gets: the first world with posts or without, or the world of a file. */
export type FirstKind = 'first' | 'empty' | { world: World }

/** Makes the world of a new database. Does nothing if there is one. */
export async function makeFirstWorld(runtime: Runtime, kind: FirstKind): Promise<boolean> {
  const made = typeof kind === 'object' ? await makeFileWorld(runtime, kind.world) : await makeOwnWorld(runtime, kind)
  if (made) await transaction(runtime.database, (tx) => storeSnapshot(tx, FIRST_WORLD, new Date(runtime.clock.now())))
  return made
}

/** Only what the file describes, and the places that posts can name. */
async function makeFileWorld(runtime: Runtime, world: World): Promise<boolean> {
  const made = await change(runtime, async (tx, invalidate) => {
    if (!(await keepFact(tx, 'first_world', 'file'))) return false
    // A reset after an upgrade makes it again. It has passwords and tokens.
    await keepFact(tx, 'world_file', runtime.secretBox.seal(JSON.stringify(world)).toString('base64'))
    await placesAdd.count(tx, JSON.stringify(FIRST_PLACES))
    await applyWorldIn(tx, invalidate, runtime, world, { dryRun: false })
    return true
  })
  if (made) await invalidateAll(runtime)
  return made
}

/** Creates the first users, apps and advertising account and, for the kind `first`, some posts. */
async function makeOwnWorld(runtime: Runtime, kind: 'first' | 'empty'): Promise<boolean> {
  const made = await change(runtime, async (tx, invalidate) => {
    if (!(await keepFact(tx, 'first_world', kind))) return false
    for (const [index, draft] of FIRST_USERS.entries()) {
      await createUser(
        tx,
        invalidate,
        runtime,
        { ...draft, password: firstPassword(runtime, index) },
        firstUserId(index),
      )
    }
    for (const [index, app] of FIRST_APPS.entries()) {
      const draft = {
        ...app,
        ownerUserId: firstUserId(0),
        permissionLevel: 'read-write-messages' as const,
        clientType: 'confidential' as const,
        callbackUrls: FIRST_CALLBACKS,
        description: 'Created with the first world of this server.',
      }
      await createApp(tx, runtime, draft, { id: firstAppId(index), secrets: firstAppSecrets(runtime, index) })
    }
    for (const index of FIRST_USERS.keys()) {
      const pair = firstTokenPair(runtime, index)
      const grant = {
        appId: firstAppId(0),
        userId: firstUserId(index),
        level: 'read-write-messages' as const,
        now: runtime.clock.now(),
        pair,
      }
      await issueAccessToken(tx, invalidate, runtime.secretBox, grant)
    }
    await giveFirstOauth2Pairs(tx, runtime)
    await makeFirstAds(tx, invalidate, runtime, FIRST_ADS, firstAppId(0), [firstUserId(0), firstUserId(1)])
    await placesAdd.count(tx, JSON.stringify(FIRST_PLACES))
    const [creatorId, ...memberIds] = [...FIRST_USERS.keys()].map(firstUserId)
    await createCommunity(tx, invalidate, {
      ...FIRST_COMMUNITY,
      id: FIRST_COMMUNITY_ID,
      creatorId: creatorId!,
      memberIds,
    })
    const pairs = FIRST_USERS.flatMap((_, source) =>
      FIRST_USERS.flatMap((__, target) =>
        source !== target && (source + target) % 2 === 1 ? [[source, target] as const] : [],
      ),
    )
    await storeFollows(
      tx,
      pairs.map(([source, target]) => ({
        sourceId: firstUserId(source),
        targetId: firstUserId(target),
        id: runtime.ids.next(),
      })),
    )
    return true
  })
  if (made && kind === 'first') await makeFirstPosts(runtime)
  return made
}

async function makeFirstPosts(runtime: Runtime): Promise<void> {
  const ids = new Map<string, string>()
  const made: string[] = []
  for (const draft of FIRST_POSTS) {
    const index = FIRST_USERS.findIndex((user) => user.username === draft.by)
    const user = { id: firstUserId(index), username: draft.by }
    const caller = firstAppCaller(user)
    const body = {
      text: draft.text,
      ...(draft.answers ? { reply: { in_reply_to_post_id: ids.get(draft.answers)! } } : {}),
      ...(draft.quotes ? { quote_post_id: ids.get(draft.quotes)! } : {}),
      ...(draft.poll ? { poll: { options: draft.poll, duration_minutes: 1440 } } : {}),
      ...(draft.place ? { geo: { place_id: draft.place } } : {}),
      ...(draft.inCommunity ? { community_id: FIRST_COMMUNITY_ID } : {}),
    }
    const { id } = await publishPost({ body, caller, runtime, context: readContext(runtime, caller, neutral) })
    made.push(id)
    if (draft.key) ids.set(draft.key, id)
    if (draft.pinned) {
      await change(runtime, async (tx, invalidate) => {
        await pinAdd.count(tx, user.id, id)
        invalidate('user', user.id)
      })
    }
  }
  // Whether the reader of events has begun already differs from start to start.
  await addNoticesOfPosts(runtime.database, made, new Date(runtime.clock.now()))
}
