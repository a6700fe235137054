import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { CountFor } from '../../api-kit/limits/endpoint-limit.ts'
import { decodeForm, formPairs } from '../../api-kit/reading/request-query.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import type { RequestNotes } from '../../api-kit/serving/serve-request.ts'
import { oauth2Error } from '../../api-kit/writing/problems.ts'
import { digest, sameDigest } from '../../process/secret-box.ts'
import { type App, appPart, clientIdPart } from '../credentials.parts.ts'

/** The members of a form or JSON body. */
export function readBodyFields(request: RequestFacts): Map<string, string> {
  const text = request.body?.toString('utf8') ?? ''
  const fields = new Map<string, string>()
  if (/^application\/json\b/i.test(String(request.headers['content-type'] ?? ''))) {
    try {
      const value: unknown = JSON.parse(text === '' ? '{}' : text)
      for (const [name, member] of Object.entries(value ?? {})) if (typeof member === 'string') fields.set(name, member)
    } catch {
      throw oauth2Error(400, 'invalid_request', 'The body is not JSON.')
    }
  } else {
    for (const pair of formPairs(text)) if (pair) fields.set(pair[0], pair[1])
  }
  for (const [name, value] of fields) if (value.includes('\0')) fields.delete(name)
  return fields
}

/** Name and password of a Basic header; undefined when there is none. */
export function readBasic(request: RequestFacts): { name: string; password: string } | undefined {
  const match = /^Basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(String(request.headers.authorization ?? ''))
  if (!match) return undefined
  const text = Buffer.from(match[1]!, 'base64').toString('utf8')
  const cut = text.indexOf(':')
  if (cut < 0) return undefined
  const name = decodeForm(text.slice(0, cut)) ?? ''
  const password = decodeForm(text.slice(cut + 1)) ?? ''
  // PostgreSQL cannot store U+0000, and names are looked up many at a time: one such name would fail them all.
  return name.includes('\0') ? undefined : { name, password }
}

export const unknownClient = (reason: string) =>
  oauth2Error(401, 'invalid_client', 'Value passed for the client id was invalid.', reason)
export const unverifiedClient = (reason: string) =>
  oauth2Error(401, 'unauthorized_client', 'Missing valid authorization header', reason)

/** The app that asks for a token. A confidential app must send its secret; a public app sends only its id. */
export async function readClient(
  request: RequestFacts,
  runtime: Runtime,
  fields: Map<string, string>,
  { notes, countFor }: { notes: RequestNotes; countFor: CountFor },
): Promise<App> {
  const basic = readBasic(request)
  const secret = basic?.password ?? fields.get('client_secret')
  const clientId = basic?.name ?? fields.get('client_id')
  const appId = clientId === undefined ? undefined : await runtime.parts.one(clientIdPart, clientId)
  const app = appId === undefined ? undefined : await runtime.parts.one(appPart, appId)
  if (!app || app.suspended) {
    const reason =
      clientId === undefined
        ? 'neither a Basic header nor client_id was sent'
        : `no app has the client id ${clientId}, or it is suspended`
    if (clientId === undefined) throw unverifiedClient(reason)
    throw unknownClient(reason)
  }
  notes.app = { id: app.id, name: app.name }
  if (secret !== undefined && !sameDigest(digest(secret), app.client_secret_hash)) {
    throw unverifiedClient('the client secret is wrong')
  }
  if (app.client_type === 'confidential' && secret === undefined) {
    throw unverifiedClient('the app is confidential but sent no client secret')
  }
  // The id of a public client is not secret: requests with only the id must not use up the app's limit.
  await countFor(secret === undefined ? undefined : app)
  return app
}
