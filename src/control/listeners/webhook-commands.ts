import { closed, Type } from '../../api-kit/declaring/schema.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { isStorableId, LARGEST_ID } from '../../process/ids.ts'
import { challengeFor } from '../../webhooks/configure-webhooks.ts'
import { recordChallenge } from '../../webhooks/record-challenge.ts'
import { type Command, defineCommand, findApp, NameOrId } from '../command.ts'
import {
  challengesOfWebhook,
  refusedBefore,
  replaysOfWebhook,
  subscriptionsOfWebhook,
  usersOfWebhook,
  webhookById,
  webhooksAfter,
} from './webhook.statements.ts'

const optional = Type.Optional
const Id = Type.String({ pattern: '^[0-9]{1,19}$' })
const Limit = Type.Integer({ minimum: 1, maximum: 200 })
const PAGE = 50
const LISTENERS = 100

/** A page of rows, and the id after which the next one begins. `found` has one row more where there is another page. */
export function pageOf<R>(found: R[], limit: number, keyOf: (row: R) => string): { rows: R[]; next: string | null } {
  const rows = found.slice(0, limit)
  return { rows, next: found.length > limit ? keyOf(rows.at(-1)!) : null }
}

async function findWebhook(runtime: Runtime, id: string) {
  const row = isStorableId(id) ? await webhookById.first(runtime.database, id) : undefined
  if (!row) throw blank(404, `There is no webhook [${id}].`)
  return row
}

export const webhooksList = defineCommand(
  'webhooks.list',
  closed({ app: optional(NameOrId), after: optional(Id), limit: optional(Limit) }),
  async (runtime, { app, after = '0', limit = PAGE }) => {
    const appId = app === undefined ? null : (await findApp(runtime, app)).id
    const start = isStorableId(after) ? after : LARGEST_ID
    const found = await webhooksAfter.all(runtime.database, start, appId, limit + 1)
    const { rows, next } = pageOf(found, limit, (row) => row.id)
    return { webhooks: rows, next }
  },
)

export const webhookShow = defineCommand('webhook.show', closed({ id: Id }), async (runtime, { id }) => {
  const webhook = await findWebhook(runtime, id)
  const { database } = runtime
  const [challenges, subscriptions, users, replays] = await Promise.all([
    challengesOfWebhook.all(database, id),
    subscriptionsOfWebhook.all(database, id, '0', LISTENERS),
    usersOfWebhook.all(database, id, '0', LISTENERS),
    replaysOfWebhook.all(database, id),
  ])
  return { ...webhook, challenges, subscriptions, users, replays }
})

/** Registrations that no webhook came of, because the challenge failed. */
export const webhooksRefused = defineCommand(
  'webhooks.refused',
  closed({ app: optional(NameOrId), before: optional(Id), limit: optional(Limit) }),
  async (runtime, { app, before = LARGEST_ID, limit = PAGE }) => {
    const appId = app === undefined ? null : (await findApp(runtime, app)).id
    const start = isStorableId(before) ? before : LARGEST_ID
    const found = await refusedBefore.all(runtime.database, start, appId, limit + 1)
    const { rows, next } = pageOf(found, limit, (row) => row.id)
    return { challenges: rows, next }
  },
)

/** Challenges a webhook now, as its app could. */
export const webhookChallenge = defineCommand('webhook.challenge', closed({ id: Id }), async (runtime, { id }) => {
  const { app_id: appId, url } = await findWebhook(runtime, id)
  const result = await challengeFor(runtime, { app: { id: appId } }, url)
  await recordChallenge(runtime, { id, appId, url, cause: 'operator' }, result)
  const [challenge] = await challengesOfWebhook.all(runtime.database, id)
  return { webhook_id: id, valid: (await findWebhook(runtime, id)).valid, challenge }
})

/** Commands that show webhooks of all apps. */
export const webhookCommands: Command[] = [webhooksList, webhookShow, webhooksRefused, webhookChallenge]
