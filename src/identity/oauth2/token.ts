import { defineEndpoint } from '../../api-kit/declaring/endpoint.ts'
import type { Naming } from '../../api-kit/naming/naming.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { Answer } from '../../api-kit/writing/answer.ts'
import { jsonAnswer } from '../../api-kit/writing/answer.ts'
import { oauth2Error } from '../../api-kit/writing/problems.ts'
import { digest } from '../../process/secret-box.ts'
import { endBearerToken, giveBearerToken } from '../app-only/bearer-token.ts'
import type { App } from '../credentials.parts.ts'
import { PROBLEM_LIMIT } from '../limits.ts'
import { readBodyFields, readClient, unverifiedClient } from './client.ts'
import { verifierFits } from './pkce.ts'
import { ADS_SCOPES } from './scopes.ts'
import {
  ACCESS_TOKEN_LIFE_S,
  badToken,
  codeByHash,
  codeUse,
  grantOfToken,
  issueTokens,
  refreshByHash,
  refreshUse,
  replaceAdsSignIn,
  revokeGrant,
  revokeGrantedAccess,
} from './tokens.ts'

const badCode = (reason: string) =>
  oauth2Error(400, 'invalid_request', 'Value passed for the authorization code was invalid.', reason)

type Fields = Map<string, string>

const GRANTS: Record<string, (runtime: Runtime, app: App, fields: Fields, legacy: Naming) => Promise<Answer>> = {
  authorization_code: exchangeCode,
  refresh_token: refresh,
  client_credentials: async (runtime, app) => {
    if (app.client_type !== 'confidential')
      throw oauth2Error(401, 'unauthorized_client', 'Only confidential clients can ask for app-only tokens.')
    return jsonAnswer({ token_type: 'bearer', access_token: await giveBearerToken(runtime, app) })
  },
}

const hasAdsScope = (scopes: readonly string[]): boolean => ADS_SCOPES.some((scope) => scopes.includes(scope))

/** Clients of advertising send their secret in the Authorization header only. */
function refuseSecretInBody(fields: Fields, scopes: readonly string[]): void {
  if (hasAdsScope(scopes) && fields.has('client_secret'))
    throw unverifiedClient(
      'client_secret is in the body; a client with scopes of advertising sends it in a Basic header',
    )
}

async function exchangeCode(runtime: Runtime, app: App, fields: Fields, legacy: Naming): Promise<Answer> {
  const code = fields.get('code') ?? ''
  const now = runtime.clock.now()
  const row = await codeByHash.first(runtime.database, digest(code))
  if (!row || row.app_id !== app.id) throw badCode('the code is unknown, was ended, or belongs to another app')
  // A code that is used twice was stolen or leaked, so its tokens are revoked.
  const reused = async () => {
    await change(runtime, (tx, invalidate) => revokeGrant(tx, invalidate, row.grant_id))
    return badCode('the code was used before; its tokens are revoked')
  }
  if (row.used) throw await reused()
  if (row.expires_at.getTime() <= now) throw badCode('the code is older than 30 s')
  refuseSecretInBody(fields, row.scopes)
  if (fields.get('redirect_uri') !== row.redirect_uri) {
    throw oauth2Error(
      400,
      'invalid_request',
      'Value passed for the redirect uri did not match the uri of the authorization code.',
      `the code was made for ${row.redirect_uri}`,
    )
  }
  if (!verifierFits(fields.get('code_verifier') ?? '', row.challenge)) {
    // Whoever has a code without its verifier may try others, so the code ends.
    await change(runtime, async (tx, invalidate) => {
      await codeUse.count(tx, digest(code))
      await revokeGrant(tx, invalidate, row.grant_id)
    })
    throw oauth2Error(
      400,
      'invalid_request',
      'Value passed for the code verifier did not match the code challenge.',
      'the code_verifier does not fit the code_challenge; the code is ended',
    )
  }
  const tokens = await change(runtime, async (tx, invalidate) => {
    if ((await codeUse.count(tx, digest(code))) === 0) return undefined
    if (hasAdsScope(row.scopes)) await replaceAdsSignIn(tx, invalidate, row.grant_id)
    return issueTokens(tx, { id: row.grant_id, scopes: row.scopes }, now)
  })
  if (!tokens) throw await reused()
  return tokenAnswer(tokens, row, legacy)
}

async function refresh(runtime: Runtime, app: App, fields: Fields, legacy: Naming): Promise<Answer> {
  const token = digest(fields.get('refresh_token') ?? '')
  const now = runtime.clock.now()
  const row = await refreshByHash.first(runtime.database, token)
  if (!row || row.app_id !== app.id) throw badToken('the refresh token is unknown, revoked, or belongs to another app')
  const reused = async () => {
    await change(runtime, (tx, invalidate) => revokeGrant(tx, invalidate, row.grant_id))
    return badToken('the refresh token was used before; the grant and all its tokens are revoked')
  }
  if (row.used) throw await reused()
  if (row.expires_at.getTime() <= now) throw badToken('the refresh token has expired')
  refuseSecretInBody(fields, row.scopes)
  const narrowed = readNarrowedScopes(fields.get('scope'), row.scopes, legacy)
  const tokens = await change(runtime, async (tx) => {
    if ((await refreshUse.count(tx, token)) === 0) return undefined
    return issueTokens(tx, { id: row.grant_id, scopes: row.scopes }, now, narrowed)
  })
  if (!tokens) throw await reused()
  // credentials.json may list the token that is used now.
  runtime.bus.wake('credentials')
  return tokenAnswer(tokens, { ...row, scopes: narrowed ?? row.scopes }, legacy)
}

/** The scopes that a refresh asks for (RFC 6749, section 6): some of the granted ones; undefined for all of them. */
function readNarrowedScopes(
  text: string | undefined,
  granted: readonly string[],
  legacy: Naming,
): string[] | undefined {
  const spelled = (text ?? '').split(' ').filter((scope) => scope !== '')
  if (spelled.length === 0) return undefined
  const wider = spelled.find((scope) => !granted.includes(legacy.restore(scope)))
  if (wider !== undefined)
    throw oauth2Error(
      400,
      'invalid_scope',
      `The scope ${wider} was not granted. A refresh can ask for some of the granted scopes: ${granted.join(' ')}.`,
    )
  const asked = new Set(spelled.map((scope) => legacy.restore(scope)))
  return granted.filter((scope) => asked.has(scope))
}

function tokenAnswer(
  tokens: { access: string; refresh: string | undefined },
  grant: { scopes: string[]; naming: string },
  legacy: Naming,
): Answer {
  return jsonAnswer({
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_LIFE_S,
    access_token: tokens.access,
    scope: grant.scopes.map((scope) => (grant.naming === 'legacy' ? legacy.rename(scope) : scope)).join(' '),
    ...(tokens.refresh === undefined ? {} : { refresh_token: tokens.refresh }),
  })
}

/** The token and revocation endpoints of OAuth 2.0. */
export const oauth2TokenEndpoints = (legacy: Naming) => [
  defineEndpoint(
    'oauth2Token',
    'POST /2/oauth2/token',
    async (request, runtime, extras) => {
      const fields = readBodyFields(request)
      const grantType = fields.get('grant_type')
      const grant = grantType === undefined || !Object.hasOwn(GRANTS, grantType) ? undefined : GRANTS[grantType]
      if (!grant) {
        throw oauth2Error(
          400,
          'unsupported_grant_type',
          `grant_type is ${grantType ?? 'missing'}; allowed are ${Object.keys(GRANTS).join(', ')}.`,
        )
      }
      return grant(runtime, await readClient(request, runtime, fields, extras), fields, legacy)
    },
    PROBLEM_LIMIT,
  ),
  defineEndpoint(
    'oauth2Revoke',
    'POST /2/oauth2/revoke',
    async (request, runtime, extras) => {
      const fields = readBodyFields(request)
      const app = await readClient(request, runtime, fields, extras)
      const token = fields.get('token')
      if (token === undefined || token === '')
        throw oauth2Error(400, 'invalid_request', 'Missing required parameter [token].')
      const found = await grantOfToken.first(runtime.database, digest(token), app.id)
      // An unknown token is not an error: it is already not valid.
      if (found) {
        const grant = { id: found.grant_id, userId: found.user_id, appId: app.id }
        await change(runtime, (tx, invalidate) => revokeGrantedAccess(tx, invalidate, runtime, grant))
      } else await endBearerToken(runtime, app.id, token)
      runtime.bus.wake('credentials')
      return jsonAnswer({ revoked: true })
    },
    PROBLEM_LIMIT,
  ),
]
