import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import { formPairs } from '../api-kit/reading/request-query.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { apiKeyPart, appPart, clientIdPart } from './credentials.parts.ts'
import { parseAuthorization } from './oauth1/signature.ts'
import { formBody } from './oauth1/verify-request.ts'
import { readBasic } from './oauth2/client.ts'

/** The app that a request names, by API key or client id. Nothing is verified. */
export async function namedApp(
  runtime: Runtime,
  request: RequestFacts,
): Promise<{ id: string; name: string } | undefined> {
  const body = Buffer.isBuffer(request.body) ? formBody(request) : ''
  const pairs = [
    ...(parseAuthorization(String(request.headers.authorization ?? '')) ?? []),
    ...[request.rawQuery, body].flatMap((text) => formPairs(text).filter((pair) => pair !== undefined)),
  ]
  const basic = readBasic(request)?.name
  const sent = (name: string) => pairs.find((pair) => pair[0] === name)?.[1] ?? basic
  const [key, clientId] = [sent('oauth_consumer_key'), sent('client_id')]
  const byKey = isPossible(key) ? await runtime.parts.one(apiKeyPart, key) : undefined
  const id = byKey ?? (isPossible(clientId) ? await runtime.parts.one(clientIdPart, clientId) : undefined)
  const app = id === undefined ? undefined : await runtime.parts.one(appPart, id)
  return app && { id: app.id, name: app.name }
}

// PostgreSQL cannot store U+0000, and names are looked up many at a time.
const isPossible = (name: string | undefined): name is string => name !== undefined && !name.includes('\0')
