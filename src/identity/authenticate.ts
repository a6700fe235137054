import type { Caller } from '../api-kit/declaring/caller.ts'
import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import type { Authenticate, RequestNotes } from '../api-kit/serving/serve-request.ts'
import { Problem, type RefusalCause } from '../api-kit/writing/problem.ts'
import { blank, unauthorized } from '../api-kit/writing/problems.ts'
import { findBearer, readBearer } from './bearer.ts'
import { type App, accountPart, appPart } from './credentials.parts.ts'
import type { NonceGuard } from './oauth1/nonce-guard.ts'
import { invalidToken, verifyRequest } from './oauth1/verify-request.ts'

const NO_SCOPES: ReadonlySet<string> = new Set()

/** Makes the function that finds the caller of an operation. */
export function createAuthenticate(runtime: Runtime, nonces: NonceGuard): Authenticate {
  return async (request, notes) => {
    const header = String(request.headers.authorization ?? '')
    const bearer = readBearer(request)
    if (bearer !== undefined) return callerOfBearer(runtime, bearer)
    if (/^OAuth\s/i.test(header) || (header === '' && carriesSignature(request)))
      return callerOfSignature(runtime, nonces, request, notes)
    throw unauthorized(
      header === '' ? 'the request has no credentials' : 'the Authorization header is neither Bearer nor OAuth',
      'no-credentials',
    )
  }
}

function carriesSignature(request: RequestFacts): boolean {
  return request.rawQuery.includes('oauth_signature=') || (request.body?.includes('oauth_signature=') ?? false)
}

/** The caller of a bearer token; throws the refusal. */
export async function callerOfBearer(runtime: Runtime, text: string): Promise<Caller> {
  const found = await findBearer(runtime, text)
  if (!found) throw unauthorized('the bearer token is unknown', 'token-unknown')
  // A token that was valid once is refused differently from one that never was.
  if (found.fault !== undefined) throw invalidToken(found.fault)
  const { bearer } = found
  const app = await runtime.parts.one(appPart, bearer.app_id)
  if (!app) throw unauthorized('the app of the bearer token no longer exists')
  if (bearer.user_id === null)
    return { kind: 'app', app: callingApp(app), user: undefined, scopes: NO_SCOPES, level: 'read' }
  const user = await callingUser(runtime, bearer.user_id)
  const level = bearer.scopes.some((scope) => scope.startsWith('dm.'))
    ? 'read-write-messages'
    : writes(bearer.scopes)
      ? 'read-write'
      : 'read'
  const grantNaming = bearer.naming === 'legacy' ? 'legacy' : 'neutral'
  return { kind: 'oauth2', app: callingApp(app), user, scopes: new Set(bearer.scopes), level, grantNaming }
}

const writes = (scopes: string[]) => scopes.some((scope) => scope.endsWith('.write'))

async function callerOfSignature(
  runtime: Runtime,
  nonces: NonceGuard,
  request: RequestFacts,
  notes: RequestNotes,
): Promise<Caller> {
  try {
    const { app, token } = await verifyRequest(request, runtime, nonces, 'access', notes)
    const user = await callingUser(runtime, token!.userId)
    return { kind: 'oauth1', app: callingApp(app), user, scopes: NO_SCOPES, level: token!.level }
  } catch (error) {
    // Operations answer a bad signature and a suspended app with their own problems; only an invalid token keeps its code.
    const code =
      error instanceof Problem ? (error.body.errors as { code?: number }[] | undefined)?.[0]?.code : undefined
    if (!(error instanceof Problem) || code === undefined || error.cause === 'token-invalid') throw error
    if (error.cause === 'app-suspended') throw suspendedApp()
    throw unauthorized(`code ${code}: ${error.reason}`, CAUSES[code])
  }
}

/** Why a signature is refused, by the codes of the OAuth 1.0a layer. */
const CAUSES: Record<number, RefusalCause> = {
  32: 'signature-invalid',
  135: 'timestamp-invalid',
  215: 'no-credentials',
}

/** 403: the app was suspended by the platform. */
export const suspendedApp = (): Problem =>
  blank(403, 'The client application is suspended.', 'the app is suspended', { cause: 'app-suspended' })

/** 403: the user was suspended by the platform. */
export const suspendedUser = (): Problem =>
  blank(403, 'Your account is suspended and is not permitted to access this feature.', 'the user is suspended', {
    cause: 'user-suspended',
  })

/** An app as a caller; refused while it is suspended. */
export function callingApp(app: App): Caller['app'] {
  if (app.suspended) throw suspendedApp()
  return {
    id: app.id,
    name: app.name,
    clientId: app.client_id,
    tier: app.tier,
    projectId: app.project_id,
    accountId: app.developer_account_id,
    ownerUserId: app.owner_user_id,
    naming: app.naming,
  }
}

async function callingUser(runtime: Runtime, id: string): Promise<NonNullable<Caller['user']>> {
  const user = await runtime.parts.one(accountPart, id)
  if (!user) throw unauthorized('the user of the token no longer exists')
  if (user.suspended) throw suspendedUser()
  return { id: user.id, username: user.username }
}
