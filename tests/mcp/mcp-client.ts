import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export interface ToolAnswer {
  isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look at members of answers whose shape they assert.
  body: any
}

/** A client of the protocol, of its own SDK, that is connected with a token. */
export interface McpClient {
  client: Client
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>
}

export async function connect(address: string, token: string): Promise<McpClient> {
  const client = new Client({ name: 'tests', version: '1.0.0' })
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }))
  return {
    client,
    call: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args })
      const [content] = result.content as { type: string; text: string }[]
      return { isError: result.isError === true, body: JSON.parse(content!.text) }
    },
  }
}
