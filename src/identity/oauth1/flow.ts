import type { PermissionLevel } from '../../api-kit/declaring/caller.ts'
import { defineEndpoint } from '../../api-kit/declaring/endpoint.ts'
import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { CountFor } from '../../api-kit/limits/endpoint-limit.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import { Answer, jsonAnswer } from '../../api-kit/writing/answer.ts'
import { codedError } from '../../api-kit/writing/problems.ts'
import { emit } from '../../events/emit.ts'
import { digest, randomText, sameDigest } from '../../process/secret-box.ts'
import { findBearer, readBearer } from '../bearer.ts'
import { accountPart } from '../credentials.parts.ts'
import { CODED_LIMIT } from '../limits.ts'
import type { NonceGuard } from './nonce-guard.ts'
import { percentEncode } from './signature.ts'
import {
  accessTokenRemove,
  issueAccessToken,
  REQUEST_TOKEN_LIFE_MS,
  requestTokenAdd,
  requestTokenByHash,
  requestTokenRemove,
  verifierDigest,
} from './tokens.ts'
import {
  badAuthenticationData,
  couldNotAuthenticate,
  invalidToken,
  refuseSuspended,
  verifyRequest,
} from './verify-request.ts'

const OUT_OF_BAND = 'oob'
const VERIFIER_TRIES = { limit: 5, seconds: 900 }

const formAnswer = (pairs: Record<string, string>): Answer =>
  new Answer(
    Object.entries(pairs)
      .map(([name, value]) => `${name}=${percentEncode(value)}`)
      .join('&'),
    { contentType: 'text/html; charset=utf-8' },
  )

/** The steps of the three-legged flow that clients call; the pages are in authorize.ts. */
export function oauth1Endpoints(nonces: NonceGuard) {
  const requestToken = defineEndpoint(
    'oauth1RequestToken',
    'POST /oauth/request_token',
    async (request, runtime, { notes, countFor }) => {
      const { app, oauth, parameters } = await verifyRequest(request, runtime, nonces, 'none', notes)
      await countFor(app)
      const callback = oauth.get('oauth_callback')
      if (callback === undefined || callback === '') throw badAuthenticationData('oauth_callback is missing')
      checkCallback(callback, app.callback_urls)
      const asked = parameters.find(([name]) => name === 'x_auth_access_type')?.[1]
      const pair = { token: randomText(27), secret: randomText(32) }
      await requestTokenAdd.count(
        runtime.database,
        digest(pair.token),
        runtime.secretBox.seal(pair.secret),
        app.id,
        callback,
        loweredLevel(app.permission_level, asked),
        new Date(runtime.clock.now() + REQUEST_TOKEN_LIFE_MS),
      )
      return formAnswer({ oauth_token: pair.token, oauth_token_secret: pair.secret, oauth_callback_confirmed: 'true' })
    },
    CODED_LIMIT,
  )

  const accessToken = defineEndpoint(
    'oauth1AccessToken',
    'POST /oauth/access_token',
    async (request, runtime, { notes, countFor }) => {
      const row = (token: string) =>
        requestTokenByHash.first(runtime.database, digest(token), new Date(runtime.clock.now()))
      const secretOf = async (token: string) => {
        const found = await row(token)
        return found && runtime.secretBox.open(found.secret_sealed)
      }
      const { app, oauth, parameters } = await verifyRequest(request, runtime, nonces, { secretOf }, notes)
      await countFor(app)
      const token = oauth.get('oauth_token')!
      const stored = await row(token)
      if (!stored || stored.app_id !== app.id) throw invalidToken('the request token is unknown, used or expired')
      const verifier = oauth.get('oauth_verifier') ?? parameters.find(([name]) => name === 'oauth_verifier')?.[1]
      const tries = await runtime.limiter.take(`oauth1-verifier:${digest(token).toString('hex')}`, VERIFIER_TRIES)
      const fits =
        verifier !== undefined &&
        stored.verifier_hash !== null &&
        sameDigest(verifierDigest(runtime.secretBox, token, verifier), stored.verifier_hash)
      if (!fits || tries.exceeded || stored.user_id === null) {
        const reason =
          stored.verifier_hash === null
            ? 'the user has not approved the request token yet'
            : 'oauth_verifier is missing or wrong'
        throw codedError(401, 32, 'Error processing your OAuth request: Invalid oauth_verifier parameter', { reason })
      }
      const userId = stored.user_id
      await refuseSuspended(runtime, userId)
      const pair = await change(runtime, async (tx, invalidate) => {
        // Only one exchange: the request that removes the request token gets the access token.
        if ((await requestTokenRemove.count(tx, digest(token))) === 0)
          throw invalidToken('the request token was already used')
        const level = stored.access_level as PermissionLevel
        return issueAccessToken(tx, invalidate, runtime.secretBox, {
          appId: app.id,
          userId,
          level,
          now: runtime.clock.now(),
        })
      })
      const user = await runtime.parts.one(accountPart, userId)
      return formAnswer({
        oauth_token: pair.token,
        oauth_token_secret: pair.secret,
        user_id: userId,
        screen_name: user?.username ?? '',
      })
    },
    CODED_LIMIT,
  )

  const invalidate = (path: '/1.1/oauth/invalidate_token' | '/1.1/oauth/invalidate_token.json') =>
    defineEndpoint(
      'oauth1InvalidateToken',
      `POST ${path}`,
      async (request, runtime, { notes, countFor }) => {
        await refuseBearer(request, runtime, countFor)
        const { app, token } = await verifyRequest(request, runtime, nonces, 'access', notes)
        await countFor(app)
        await refuseSuspended(runtime, token!.userId)
        const removed = await change(runtime, async (tx, invalidate) => {
          invalidate('oauth1_token', token!.hash)
          const gone = await accessTokenRemove.first(tx, Buffer.from(token!.hash, 'hex'))
          if (gone)
            await emit(tx, runtime, { type: 'oauth.revoke', actorId: gone.user_id, payload: { app_id: gone.app_id } })
          return gone
        })
        if (!removed) throw invalidToken('the access token was already invalidated')
        runtime.bus.wake('credentials')
        return jsonAnswer({ access_token: runtime.secretBox.open(removed.token_sealed) })
      },
      CODED_LIMIT,
    )

  return [
    requestToken,
    accessToken,
    invalidate('/1.1/oauth/invalidate_token'),
    invalidate('/1.1/oauth/invalidate_token.json'),
  ]
}

/** Refuses bearer tokens: this endpoint takes only signed requests of a user. */
async function refuseBearer(request: RequestFacts, runtime: Runtime, countFor: CountFor): Promise<void> {
  const text = readBearer(request)
  if (text === undefined) return
  const found = await findBearer(runtime, text)
  const fault = found ? found.fault : 'the bearer token is unknown'
  if (!found || fault !== undefined) throw codedError(401, 89, 'Invalid or expired token', { reason: fault })
  await countFor({ id: found.bearer.app_id })
  const reason = 'a bearer token cannot be used here; the request must be signed for the user'
  throw codedError(403, 220, 'Your credentials do not allow access to this resource', { reason })
}

function checkCallback(callback: string, registered: string[]): void {
  if (callback === OUT_OF_BAND) return
  if (registered.length === 0) {
    throw codedError(403, 417, "Desktop applications only support the oauth_callback value 'oob'", {
      reason: 'the app has no callback URL',
    })
  }
  if (registered.includes(callback)) return
  const reason = `oauth_callback is ${callback}, but the app has registered ${registered.join(', ')}`
  throw codedError(403, 415, 'Callback URL not approved for this client application.', { reason })
}

function loweredLevel(level: PermissionLevel, asked: string | undefined): PermissionLevel {
  if (asked === undefined) return level
  if (asked === 'read') return 'read'
  if (asked === 'write') return level === 'read' ? 'read' : 'read-write'
  throw couldNotAuthenticate('x_auth_access_type is neither read nor write')
}
