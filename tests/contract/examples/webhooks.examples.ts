import type { Cast, Scene } from '../scene.ts'
import type { Examples } from './example.ts'
import { exampleWebhook, minute } from './example-webhook.ts'

async function link(scene: Scene, cast: Cast): Promise<string> {
  const id = await exampleWebhook(scene, cast)
  await scene.server.request('POST', `/2/posts/search/webhooks/${id}?post.fields=lang`, { as: cast.app })
  return id
}

export const examples: Examples = {
  createWebhookReplayJob: async (scene, cast) => {
    const now = scene.server.runtime.clock.now()
    const span = { from_date: minute(now - 2 * 3600_000), to_date: minute(now - 3600_000) }
    return [{ as: 'app', body: { webhook_id: await exampleWebhook(scene, cast), ...span } }]
  },
  createWebhooksStreamLink: async (scene, cast) => [
    { as: 'app', path: { webhook_id: await exampleWebhook(scene, cast) } },
  ],
  getWebhooksStreamLinks: async (scene, cast) => {
    await link(scene, cast)
    return [{ as: 'app' }]
  },
  deleteWebhooksStreamLink: async (scene, cast) => [{ as: 'app', path: { webhook_id: await link(scene, cast) } }],
  createWebhooks: (scene, cast) => [
    { as: 'app', body: { url: scene.receiverUrl(cast) } },
    { as: 'user', body: { url: scene.receiverUrl(cast) } },
  ],
  getWebhooks: async (scene, cast) => {
    await exampleWebhook(scene, cast)
    return [{ as: 'app' }]
  },
  validateWebhooks: async (scene, cast) => [{ as: 'app', path: { webhook_id: await exampleWebhook(scene, cast) } }],
  deleteWebhooks: async (scene, cast) => [{ as: 'app', path: { webhook_id: await exampleWebhook(scene, cast) } }],
}
