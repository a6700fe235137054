import type { Cast, Scene } from '../scene.ts'
import type { Examples } from './example.ts'
import { exampleWebhook, minute } from './example-webhook.ts'

/** The newest webhook of the app, or a first one: developer accounts have room for few. */
async function webhookOf(scene: Scene, cast: Cast): Promise<string> {
  const known = (await scene.server.get('/2/webhooks', cast.app)).body.data
  if (known.length > 0) return known.at(-1).id
  const made = await scene.server.post('/2/webhooks', { url: scene.receiverUrl(cast) }, cast.app)
  if (made.status !== 200) throw new Error(`The example webhook was refused: ${made.text}`)
  return made.body.id
}

const subscriptions = (webhookId: string) => `/2/account_activity/webhooks/${webhookId}/subscriptions`

/** A webhook at which alice is not subscribed. */
async function free(scene: Scene, cast: Cast): Promise<string> {
  const webhookId = await webhookOf(scene, cast)
  await scene.server.delete(`${subscriptions(webhookId)}/${scene.server.userId('alice')}/all`, cast.app)
  return webhookId
}

/** A webhook at which alice is subscribed. */
async function subscribed(scene: Scene, cast: Cast): Promise<string> {
  const webhookId = await free(scene, cast)
  const made = await scene.server.post(`${subscriptions(webhookId)}/all`, {}, cast.user)
  if (made.status !== 200) throw new Error(`The example subscription was refused: ${made.text}`)
  return webhookId
}

export const examples: Examples = {
  getAccountActivitySubscriptionCount: async (scene, cast) => {
    await subscribed(scene, cast)
    return [{ as: 'app' }]
  },
  validateAccountActivitySubscription: async (scene, cast) => {
    const path = { webhook_id: await subscribed(scene, cast) }
    return [
      { as: 'user', path },
      { as: 'oauth2', path },
    ]
  },
  createAccountActivityReplayJob: async (scene, cast) => {
    const now = scene.server.runtime.clock.now()
    const query = { from_date: minute(now - 2 * 3600_000), to_date: minute(now - 3600_000) }
    return [{ as: 'app', path: { webhook_id: await exampleWebhook(scene, cast) }, query }]
  },
  createAccountActivitySubscription: async (scene, cast) => [
    { as: 'user', path: { webhook_id: await free(scene, cast) }, body: {} },
  ],
  getAccountActivitySubscriptions: async (scene, cast) => [
    { as: 'app', path: { webhook_id: await subscribed(scene, cast) } },
  ],
  deleteAccountActivitySubscription: async (scene, cast) => [
    { as: 'app', path: { webhook_id: await subscribed(scene, cast), user_id: scene.server.userId('alice') } },
  ],
}
