import type { Caller } from '../api-kit/caller.ts'
import type { House } from '../api-kit/house.ts'
import type { RequestFacts } from '../api-kit/operation.ts'
import { Problem } from '../api-kit/problem.ts'
import { blank, unauthorized } from '../api-kit/problems.ts'
import type { Authenticate, RequestNotes } from '../api-kit/serve-request.ts'
import { digest } from '../process/sealer.ts'
import { type App, accountPart, appPart, bearerPart } from './credentials.parts.ts'
import type { NonceGuard } from './oauth1/nonce-guard.ts'
import { verifyRequest } from './oauth1/verify-request.ts'

const NO_SCOPES: ReadonlySet<string> = new Set()

/** Makes the function that tells who is calling an operation of version 2. */
export function createAuthenticate(house: House, nonces: NonceGuard): Authenticate {
  return async (request, notes) => {
    const header = String(request.headers.authorization ?? '')
    const bearer = /^Bearer\s+(\S+)\s*$/i.exec(header)
    if (bearer) return callerOfBearer(house, bearer[1]!)
    if (/^OAuth\s/i.test(header) || (header === '' && carriesSignature(request)))
      return callerOfSignature(house, nonces, request, notes)
    throw unauthorized(
      header === '' ? 'the request has no credentials' : 'the Authorization header is neither Bearer nor OAuth',
    )
  }
}

function carriesSignature(request: RequestFacts): boolean {
  return request.rawQuery.includes('oauth_signature=') || (request.body?.includes('oauth_signature=') ?? false)
}

async function callerOfBearer(house: House, text: string): Promise<Caller> {
  const bearer = await house.parts.one(bearerPart, hashOf(text))
  if (!bearer) throw unauthorized('the bearer token is unknown or was revoked')
  if (bearer.expires_at !== null && bearer.expires_at.getTime() <= house.clock.now())
    throw unauthorized('the access token has expired')
  const app = await house.parts.one(appPart, bearer.app_id)
  if (!app) throw unauthorized('the app of the bearer token is gone')
  if (bearer.user_id === null)
    return { kind: 'app', app: callingApp(app), user: undefined, scopes: NO_SCOPES, level: 'read' }
  const user = await callingUser(house, bearer.user_id)
  const level = bearer.scopes.some((scope) => scope.startsWith('dm.'))
    ? 'read-write-messages'
    : writes(bearer.scopes)
      ? 'read-write'
      : 'read'
  return { kind: 'oauth2', app: callingApp(app), user, scopes: new Set(bearer.scopes), level }
}

const REMEMBERED_TOKENS = 2_000
const hashes = new Map<string, string>()

// The same few tokens come again and again.
function hashOf(token: string): string {
  let hash = hashes.get(token)
  if (hash === undefined) {
    hash = digest(token).toString('hex')
    if (hashes.size >= REMEMBERED_TOKENS) hashes.clear()
    hashes.set(token, hash)
  }
  return hash
}

const writes = (scopes: string[]) => scopes.some((scope) => scope.endsWith('.write'))

async function callerOfSignature(
  house: House,
  nonces: NonceGuard,
  request: RequestFacts,
  notes: RequestNotes,
): Promise<Caller> {
  try {
    const { app, token } = await verifyRequest(request, house, nonces, 'access', notes)
    const user = await callingUser(house, token!.userId)
    return { kind: 'oauth1', app: callingApp(app), user, scopes: NO_SCOPES, level: token!.level }
  } catch (error) {
    // Version 2 answers a bad signature with its own problem; only a dead token keeps code 89.
    const code =
      error instanceof Problem ? (error.body.errors as { code?: number }[] | undefined)?.[0]?.code : undefined
    if (code === undefined || code === 89) throw error
    throw unauthorized(`code ${code}: ${(error as Problem).reason}`)
  }
}

function callingApp(app: App): Caller['app'] {
  if (app.suspended) throw blank(403, 'The client application is suspended.', 'the app is suspended')
  return {
    id: app.id,
    name: app.name,
    clientId: app.client_id,
    tier: app.tier,
    projectId: app.project_id,
    ownerUserId: app.owner_user_id,
    naming: app.naming,
  }
}

async function callingUser(house: House, id: string): Promise<NonNullable<Caller['user']>> {
  const user = await house.parts.one(accountPart, id)
  if (!user) throw unauthorized('the user of the token is gone')
  if (user.suspended)
    throw blank(403, 'Your account is suspended and is not permitted to access this feature.', 'the user is suspended')
  return { id: user.id, username: user.username }
}
