import { createHmac } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PermissionLevel } from '../../src/api-kit/declaring/caller.ts'
import { change } from '../../src/api-kit/runtime.ts'
import { SCOPES } from '../../src/identity/oauth2/scopes.ts'
import { grantAdd, issueTokens } from '../../src/identity/oauth2/tokens.ts'
import { checkingAnswers } from '../support/check-answer.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import type { SigningKeys } from '../support/sign.ts'

/** An app with its credentials of every kind. */
export interface Cast {
  appId: string
  secret: string
  app: { bearer: string }
  /** Alice, with all rights. */
  user: As
  /** Alice by OAuth 2.0, with all scopes. */
  oauth2: As
  /** A user whose OAuth 1.0a token has exactly this level. */
  level(level: PermissionLevel): As
  /** Alice by OAuth 2.0 with these scopes, neutral names. */
  scoped(scopes: readonly string[]): Promise<As>
}

/** A server with an app for each naming, and a webhook receiver that passes the challenge. */
export interface Scene {
  server: TestServer
  /** The first app, whose answers have the naming of the request. */
  first: Cast
  /** An app that is set to the legacy naming, for requests without a word that shows their naming. */
  legacy: Cast
  /** A new address at which the receiver answers for the app. */
  receiverUrl(cast: Cast): string
  /** Ends the streams that are still open, to make room for others. */
  endStreams(): Promise<void>
  close(): Promise<void>
}

const LEVEL_USERS: Record<PermissionLevel, string> = {
  read: 'dario',
  'read-write': 'bob',
  'read-write-messages': 'alice',
}

/** Makes the scene on a server of its own, or on one that is given. */
export async function createScene(given?: TestServer): Promise<Scene> {
  const server = checkingAnswers(given ?? (await startTestServer([], { events: true })))
  const made = await server.command('app.create', {
    name: 'Legacy app',
    owner: 'alice',
    tier: 'enterprise',
    naming: 'legacy',
  })
  // Those who are not enrolled are refused in the words of a token that lacks a scope.
  await server.command('notes.enrol', { user: 'alice' })
  const own = server.credentials.apps[0]!
  const first = await createCast(server, { ...own, bearer_token: own.bearer_token! })
  const legacy = await createCast(server, made)
  const receiver = await startReceiver(new Map([first, legacy].map((cast) => [cast.appId, cast.secret])))
  let addresses = 0
  return {
    server,
    first,
    legacy,
    receiverUrl: (cast) => {
      addresses += 1
      return `${receiver.url}/${cast.appId}/${addresses}`
    },
    endStreams: async () => {
      for (const cast of [first, legacy]) await server.delete('/2/connections/all', cast.app)
    },
    close: async () => {
      await receiver.close()
      await server.close()
    },
  }
}

interface AppSecrets {
  id: string
  api_key: string
  api_key_secret: string
  bearer_token: string
}

async function createCast(server: TestServer, app: AppSecrets): Promise<Cast> {
  const keys = {} as Record<PermissionLevel, SigningKeys>
  for (const [level, user] of Object.entries(LEVEL_USERS)) {
    const pair = await server.command('user.token', { user, app: app.id, access_level: level })
    keys[level as PermissionLevel] = {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: pair.access_token,
      tokenSecret: pair.access_token_secret,
    }
  }
  const { runtime } = server
  const scoped: Cast['scoped'] = async (scopes) => {
    const grant = { id: runtime.ids.next(), scopes: [...scopes] }
    const now = runtime.clock.now()
    const { access } = await change(runtime, async (tx) => {
      await grantAdd.count(tx, grant.id, app.id, server.userId('alice'), grant.scopes, 'neutral', new Date(now))
      return issueTokens(tx, grant, now)
    })
    return { bearer: access }
  }
  return {
    appId: app.id,
    secret: app.api_key_secret,
    app: { bearer: app.bearer_token },
    user: { keys: keys['read-write-messages'] },
    oauth2: await scoped([...SCOPES]),
    level: (level) => ({ keys: keys[level] }),
    scoped,
  }
}

/** Answers the challenge for `/{app id}/...` with the secret of the app. */
async function startReceiver(secrets: Map<string, string>): Promise<{ url: string; close(): Promise<void> }> {
  const receiver = http.createServer((request, response) => {
    const address = new URL(request.url ?? '/', 'http://receiver')
    const secret = secrets.get(address.pathname.split('/')[1]!) ?? ''
    const token = createHmac('sha256', secret)
      .update(address.searchParams.get('crc_token') ?? '')
      .digest('base64')
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ response_token: `sha256=${token}` }))
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => receiver.close(() => resolve())),
  }
}
