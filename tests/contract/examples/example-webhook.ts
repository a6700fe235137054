import type { Cast, Scene } from '../scene.ts'

const MOST_KEPT = 8

/** A new webhook; a developer may have only some, so those of earlier examples are deleted. */
export async function exampleWebhook(scene: Scene, cast: Cast): Promise<string> {
  const known: { id: string }[] = (await scene.server.get('/2/webhooks', cast.app)).body.data
  for (const { id } of known.slice(0, Math.max(0, known.length - MOST_KEPT)))
    await scene.server.delete(`/2/webhooks/${id}`, cast.app)
  const made = await scene.server.post('/2/webhooks', { url: scene.receiverUrl(cast) }, cast.app)
  if (made.status !== 200) throw new Error(`The example webhook was refused: ${made.text}`)
  return made.body.id
}

/** A time as the replay operations take it. */
export const minute = (ms: number): string => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12)
