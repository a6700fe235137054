import type { TestAnswer, TestServer } from '../support/server.ts'

/** A command of the control interface, refused or not. */
export const ask = (server: TestServer, name: string, args: object): Promise<TestAnswer> =>
  server.request('POST', `/_rostra/commands/${name}`, { as: { bearer: server.credentials.admin_key }, json: args })
