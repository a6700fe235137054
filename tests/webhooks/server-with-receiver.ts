import { startTestServer, type TestServer } from '../support/server.ts'
import { answersCorrectly, type Receiver, startReceiver } from './receiver.ts'

/** A server, and a receiver that passes the challenges of its first app. */
export interface ServerWithReceiver {
  server: TestServer
  receiver: Receiver
  /** The API key secret of the first app. */
  secret: string
  close(): Promise<void>
}

export async function startServerWithReceiver(
  ...options: Parameters<typeof startTestServer>
): Promise<ServerWithReceiver> {
  const server = await startTestServer(...options)
  const secret = server.credentials.apps[0]!.api_key_secret
  const receiver = await startReceiver(answersCorrectly(secret))
  return {
    server,
    receiver,
    secret,
    close: async () => {
      await receiver.close()
      await server.close()
    },
  }
}
