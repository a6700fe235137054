import { answersCorrectly, type Receiver, startReceiver } from './receiver.ts'

type Send = (method: string, path: string, json?: unknown) => Promise<{ status: number; text: string }>

/** A receiver on this machine, registered as a webhook of the first app. */
export interface LinkedWebhook extends Receiver {
  webhookId: string
}

/** Registers a receiver as a webhook that gets the posts with this word. `send` calls the interface as the first app. */
export async function linkWebhook(send: Send, secret: string, word: string): Promise<LinkedWebhook> {
  const receiver = await startReceiver(answersCorrectly(secret))
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
