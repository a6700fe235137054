import type { Cast, Scene } from '../scene.ts'
import type { Examples } from './example.ts'
import { exampleWebhook } from './example-webhook.ts'

let keywords = 0

/** A subscription that the app does not have yet. */
function newSubscription(scene: Scene, eventType: string, more: object = {}): object {
  keywords += 1
  return {
    event_type: eventType,
    filter: { user_id: scene.server.userId('alice'), keyword: `word${keywords}` },
    ...more,
  }
}

async function subscribe(scene: Scene, cast: Cast): Promise<string> {
  const body = newSubscription(scene, 'post.create', { tag: 'posts' })
  const made = await scene.server.post('/2/activity/subscriptions', body, cast.app)
  if (made.status !== 200) throw new Error(`The example subscription was refused: ${made.text}`)
  return made.body.data.subscription.subscription_id
}

export const examples: Examples = {
  activityStream: async (scene, cast) => {
    keywords += 1
    const filter = { user_id: scene.server.userId('bob'), keyword: `streamed${keywords}` }
    const body = { event_type: 'post.create', filter }
    const made = await scene.server.post('/2/activity/subscriptions', body, cast.app)
    if (made.status !== 200) throw new Error(`The example subscription was refused: ${made.text}`)
    let count = 0
    const cause = async () => {
      count += 1
      const written = await scene.server.post('/2/posts', { text: `${filter.keyword} ${count}` }, { user: 'bob' })
      if (written.status !== 201) throw new Error(`The example post was refused: ${written.text}`)
    }
    return [{ as: 'app', cause }]
  },
  createActivitySubscription: async (scene, cast) => [
    {
      as: 'app',
      body: newSubscription(scene, 'post.create', { tag: 'posts', webhook_id: await exampleWebhook(scene, cast) }),
    },
    { as: 'user', body: newSubscription(scene, 'post.create') },
    { as: 'oauth2', body: newSubscription(scene, 'post.mention.create') },
  ],
  getActivitySubscriptions: async (scene, cast) => {
    await subscribe(scene, cast)
    await subscribe(scene, cast)
    return [{ as: 'app' }, { as: 'user', query: { max_results: '1' } }, { as: 'oauth2' }]
  },
  updateActivitySubscription: async (scene, cast) => [
    {
      as: 'app',
      path: { subscription_id: await subscribe(scene, cast) },
      body: { tag: 'renamed', webhook_id: await exampleWebhook(scene, cast) },
    },
  ],
  deleteActivitySubscription: async (scene, cast) => [
    { as: 'app', path: { subscription_id: await subscribe(scene, cast) } },
  ],
  deleteActivitySubscriptionsByIds: async (scene, cast) => [
    { as: 'app', query: { ids: [await subscribe(scene, cast), await subscribe(scene, cast)].join() } },
  ],
}
