import type { Cast, Scene } from '../scene.ts'
import type { Examples } from './example.ts'

async function register(scene: Scene, cast: Cast): Promise<string> {
  const made = await scene.server.post('/2/webhooks', { url: scene.receiverUrl(cast) }, cast.app)
  if (made.status !== 200) throw new Error(`The example webhook was refused: ${made.text}`)
  return made.body.id
}

export const examples: Examples = {
  createWebhooks: (scene, cast) => [
    { as: 'app', body: { url: scene.receiverUrl(cast) } },
    { as: 'user', body: { url: scene.receiverUrl(cast) } },
  ],
  getWebhooks: async (scene, cast) => {
    await register(scene, cast)
    return [{ as: 'app' }]
  },
  validateWebhooks: async (scene, cast) => [{ as: 'app', path: { webhook_id: await register(scene, cast) } }],
  deleteWebhooks: async (scene, cast) => [{ as: 'app', path: { webhook_id: await register(scene, cast) } }],
}
