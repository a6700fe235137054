import type { Caller } from '../api-kit/declaring/caller.ts'
import { defineOperation } from '../api-kit/declaring/operation.ts'
import { csv } from '../api-kit/declaring/parameters.ts'
import { ErrorsSchema } from '../api-kit/declaring/reply.ts'
import { closed, component, DateTime, Type, words } from '../api-kit/declaring/schema.ts'
import { change, type Runtime } from '../api-kit/runtime.ts'
import type { Problem } from '../api-kit/writing/problem.ts'
import { blank, invalidParameter, unauthorized } from '../api-kit/writing/problems.ts'
import { appPart } from '../identity/credentials.parts.ts'
import { capOf } from '../identity/tier-caps.ts'
import { wireTime } from '../process/clock.ts'
import { isStorableId } from '../process/ids.ts'
import type { Db } from '../storage/database.ts'
import { type ChallengeResult, challenge } from './challenge.ts'
import { recordChallenge, storeTranscript } from './record-challenge.ts'
import {
  developerLock,
  webhookAdd,
  webhookOfApp,
  webhookRemove,
  webhooksOfApp,
  webhooksOfDeveloper,
} from './webhook.statements.ts'

export const WebhookConfigId = component('WebhookConfigId', Type.String({ pattern: '^[0-9]{1,19}$' }))

const members = { created_at: DateTime, id: WebhookConfigId, url: Type.String(), valid: Type.Boolean() }
const WebhookConfig = component('WebhookConfig', Type.Object(members))

const write = { app: true, oauth1: true }
const limit = { app: '450/15m' }

interface WebhookRow {
  id: string
  url: string
  valid: boolean
  created_at: Date
}
const show = (row: WebhookRow) => ({ ...row, created_at: wireTime(row.created_at.getTime()) })

/** A 400 whose message starts with one of the interface's failure names. */
function refused(name: string, url: string, message: string): Problem {
  return invalidParameter('url', url, `${name}: ${message}`)
}

/** Refuses an address that a webhook cannot have. */
export function checkWebhookUrl(text: string, privateAllowed: boolean): void {
  const fail = (message: string): never => {
    throw refused('UrlValidationFailed', text, message)
  }
  if (!URL.canParse(text)) fail('the url is not a valid URL.')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(privateAllowed && url.protocol === 'http:'))
    fail('the url must begin with https://.')
  if (!privateAllowed && url.port !== '') fail('the url cannot have a port.')
  if (url.username !== '' || url.password !== '') fail('the url cannot have a user name or password.')
  if (url.hash !== '') fail('the url cannot have a fragment.')
}

/** Refuses a URL that the app already has, and a webhook beyond the cap of the tier. */
async function checkDuplicateAndCap(db: Db, caller: Caller, url: string): Promise<void> {
  const existing = (await webhooksOfDeveloper.first(db, caller.app.id, url))!
  if (existing.same) throw refused('DuplicateUrlFailed', url, 'the app already has a webhook with this url.')
  const most = capOf(caller, 'webhooks')
  if (existing.count >= most)
    throw refused('WebhookLimitExceeded', url, `the tier ${caller.app.tier} includes ${most} webhooks.`)
}

/** The app was deleted while its request ran. */
const appRemoved = () => unauthorized('the app was removed')

export async function challengeFor(
  runtime: Runtime,
  { app: { id } }: { app: { id: string } },
  url: string,
): Promise<ChallengeResult> {
  const app = await runtime.parts.one(appPart, id)
  if (!app) throw appRemoved()
  return challenge(runtime.outgoing, url, runtime.secretBox.open(app.api_key_secret_sealed))
}

export const createWebhooks = defineOperation({
  id: 'createWebhooks',
  route: 'POST /2/webhooks',
  tag: 'Webhooks',
  summary: 'Register a webhook, whose URL must pass the challenge',
  auth: write,
  limit,
  body: component('WebhookConfigCreateRequest', closed({ url: Type.String({ minLength: 1, maxLength: 200 }) })),
  reply: component('WebhookConfigCreateResponse', Type.Object(members)),
  handle: async ({ body, caller, runtime, naming }) => {
    checkWebhookUrl(body.url, runtime.outgoing.privateAllowed)
    await checkDuplicateAndCap(runtime.database, caller, body.url)
    const result = await challengeFor(runtime, caller, body.url)
    const about = { appId: caller.app.id, url: body.url, cause: 'registration' as const }
    if (!result.passed) {
      await storeTranscript(runtime.database, runtime, about, result)
      throw refused('CrcValidationFailed', body.url, `${result.reason}.`)
    }
    const row = await change(runtime, async (tx) => {
      // Other requests may have created webhooks during the challenge.
      if (!(await developerLock.first(tx, caller.app.id))) throw appRemoved()
      await checkDuplicateAndCap(tx, caller, body.url)
      const now = new Date(runtime.clock.now())
      const made = await webhookAdd.first(tx, runtime.ids.next(), caller.app.id, body.url, now, naming.id)
      await storeTranscript(tx, runtime, { ...about, id: made!.id }, result)
      return made
    })
    return show(row!)
  },
})

export const getWebhooks = defineOperation({
  id: 'getWebhooks',
  route: 'GET /2/webhooks',
  tag: 'Webhooks',
  summary: 'List the webhooks of the app',
  auth: { app: true },
  limit,
  query: {
    'webhook_config.fields': csv(words(['created_at', 'id', 'url', 'valid']), { unique: true, required: false }),
  },
  reply: component(
    'Get2WebhooksResponse',
    Type.Object({
      data: Type.Optional(Type.Array(WebhookConfig)),
      errors: ErrorsSchema,
      meta: Type.Optional(
        Type.Object({ result_count: Type.Optional(component('ResultCount', Type.Integer({ format: 'int32' }))) }),
      ),
    }),
  ),
  handle: async ({ caller, runtime }) => {
    const rows = await webhooksOfApp.all(runtime.database, caller.app.id)
    return { data: rows.map(show), meta: { result_count: rows.length } }
  },
})

/** A webhook of the calling app; throws if there is none. */
export async function findWebhook(runtime: Runtime, caller: Caller, id: string): Promise<WebhookRow> {
  const row = isStorableId(id) ? await webhookOfApp.first(runtime.database, caller.app.id, id) : undefined
  if (!row) throw blank(404, `WebhookIdInvalid: the app has no webhook [${id}].`)
  return row
}

export const validateWebhooks = defineOperation({
  id: 'validateWebhooks',
  route: 'PUT /2/webhooks/{webhook_id}',
  tag: 'Webhooks',
  summary: 'Validate a webhook with a challenge now',
  auth: write,
  limit,
  path: { webhook_id: WebhookConfigId },
  reply: component(
    'WebhookConfigPutResponse',
    Type.Object({
      data: Type.Optional(
        Type.Object({ attempted: Type.Optional(Type.Boolean()), valid: Type.Optional(Type.Boolean()) }),
      ),
      errors: ErrorsSchema,
    }),
  ),
  handle: async ({ path, caller, runtime }) => {
    const row = await findWebhook(runtime, caller, path.webhook_id)
    const result = await challengeFor(runtime, caller, row.url)
    await recordChallenge(runtime, { id: row.id, appId: caller.app.id, url: row.url, cause: 'validation' }, result)
    if (result.passed) return { data: { attempted: true, valid: true } }
    const after = await findWebhook(runtime, caller, row.id)
    return {
      data: { attempted: true, valid: after.valid },
      errors: [{ title: 'CrcValidationFailed', type: 'about:blank', detail: `CrcValidationFailed: ${result.reason}.` }],
    }
  },
})

export const deleteWebhooks = defineOperation({
  id: 'deleteWebhooks',
  route: 'DELETE /2/webhooks/{webhook_id}',
  tag: 'Webhooks',
  summary: 'Remove a webhook',
  auth: write,
  limit,
  path: { webhook_id: WebhookConfigId },
  reply: component(
    'WebhookConfigDeleteResponse',
    Type.Object({ data: Type.Optional(Type.Object({ deleted: Type.Optional(Type.Boolean()) })), errors: ErrorsSchema }),
  ),
  handle: async ({ path, caller, runtime }) => {
    const row = await findWebhook(runtime, caller, path.webhook_id)
    await webhookRemove.count(runtime.database, caller.app.id, row.id)
    return { data: { deleted: true } }
  },
})
