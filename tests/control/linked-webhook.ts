import { challengeAnswer } from '../../src/webhooks/challenge.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'

type Send = (method: string, path: string, json?: unknown) => Promise<{ status: number; text: string }>

/** A receiver on this machine, and the webhook of the first app that leads to it. */
export interface LinkedWebhook extends Receiver {
  webhookId: string
}

/** Registers a receiver as a webhook that gets the posts with this word. `send` calls the interface as the first app. */
export async function linkWebhook(send: Send, secret: string, word: string): Promise<LinkedWebhook> {
  const receiver = await startReceiver((response, token) =>
    response.writeHead(200).end(JSON.stringify({ response_token: challengeAnswer(secret, token) })),
  )
  const call = async (path: string, json?: unknown) => {
    const answer = await send('POST', path, json)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return JSON.parse(answer.text)
  }
  const { id } = await call('/2/webhooks', { url: receiver.url() })
  await call(`/2/posts/search/webhooks/${id}`)
  await call('/2/posts/search/stream/rules', { add: [{ value: word }] })
  return { ...receiver, webhookId: id }
}

/** Waits until something is there; throws when it is not in time. */
export async function until<T>(look: () => Promise<T | undefined>, withinMs = 8_000): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error('It did not come in time')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
