import { defineEndpoint, jsonAnswer } from '../../api-kit/endpoint.ts'
import { change, type House } from '../../api-kit/house.ts'
import type { RequestFacts } from '../../api-kit/operation.ts'
import { codedError } from '../../api-kit/problems.ts'
import { formPairs } from '../../api-kit/request-query.ts'
import type { RequestNotes } from '../../api-kit/serve-request.ts'
import { digest, randomText, sameText } from '../../process/sealer.ts'
import { statement } from '../../storage/statement.ts'
import { type App, apiKeyPart, appPart } from '../credentials.parts.ts'
import type { NonceGuard } from '../oauth1/nonce-guard.ts'
import { formBody, verifyRequest } from '../oauth1/verify-request.ts'
import { readBasic } from '../oauth2/client.ts'

const REQUESTS = { limit: 100, seconds: 900 }

const unverified = (reason: string) =>
  codedError(403, 99, 'Unable to verify your credentials', { label: 'authenticity_token_error', reason })

const keepToken = statement(
  'bearer_token_keep',
  { bearer_token_sealed: 'bytea' },
  `update client_app set
     bearer_token_hash = coalesce(bearer_token_hash, $2),
     bearer_token_sealed = coalesce(bearer_token_sealed, $3)
   where id = $1 returning bearer_token_sealed`,
)
const dropToken = statement(
  'bearer_token_drop',
  {},
  'update client_app set bearer_token_hash = null, bearer_token_sealed = null where id = $1 and bearer_token_hash = $2',
)

/** App-only tokens hold percent escapes and are used as they are. */
export const makeBearerToken = (): string =>
  `${'A'.repeat(21)}${randomText(24)}%2F${randomText(20)}%3D${randomText(50)}`

/** The one app-only token of an app: the same until it is invalidated. */
export async function bearerTokenOf(house: House, app: App): Promise<string> {
  if (app.bearer_token_sealed) return house.sealer.open(app.bearer_token_sealed)
  const token = makeBearerToken()
  return change(house, async (tx, touch) => {
    touch('app', app.id)
    const row = await keepToken.first(tx, app.id, digest(token), house.sealer.seal(token))
    return house.sealer.open(row!.bearer_token_sealed)
  })
}

async function appOfBasic(request: RequestFacts, house: House, notes: RequestNotes): Promise<App> {
  const basic = readBasic(request)
  if (!basic) throw unverified('the request has no Basic header')
  const appId = await house.parts.one(apiKeyPart, basic.name)
  const app = appId === undefined ? undefined : await house.parts.one(appPart, appId)
  if (app) notes.app = { id: app.id, name: app.name }
  if (!app || !sameText(house.sealer.open(app.api_key_secret_sealed), basic.password))
    throw unverified('API key or API key secret is wrong')
  if (app.suspended) throw unverified('the app is suspended')
  return app
}

/** oauth2/token and oauth2/invalidate_token. */
export function bearerTokenEndpoints(nonces: NonceGuard) {
  const create = defineEndpoint('appOnlyToken', 'POST /oauth2/token', async (request, house, { notes }) => {
    const app = await appOfBasic(request, house, notes)
    const grantType = formPairs(formBody(request)).find((pair) => pair?.[0] === 'grant_type')?.[1]
    if (grantType !== 'client_credentials')
      throw unverified(`grant_type is ${grantType ?? 'missing'}, only client_credentials is taken, in a form body`)
    if (house.rateLimits === 'on') {
      const standing = await house.limiter.take(`app-only-token:${app.id}`, REQUESTS)
      if (standing.exceeded)
        throw unverified(`more than ${REQUESTS.limit} token requests in ${REQUESTS.seconds} s: keep the token`)
    }
    return jsonAnswer({ token_type: 'bearer', access_token: await bearerTokenOf(house, app) })
  })

  const invalidate = defineEndpoint(
    'appOnlyInvalidateToken',
    'POST /oauth2/invalidate_token',
    async (request, house, { notes }) => {
      const { app, parameters } = await appOfOwner(request, house, nonces, notes)
      const token = parameters.find(([name]) => name === 'access_token')?.[1] ?? ''
      // Sent raw, its escapes were decoded on the way; sent encoded, they were not.
      const known = [token, token.replaceAll('/', '%2F').replaceAll('=', '%3D')]
      for (const text of known) {
        const dropped = await change(house, async (tx, touch) => {
          touch('app', app.id)
          touch('bearer', digest(text).toString('hex'))
          return dropToken.count(tx, app.id, digest(text))
        })
        if (dropped > 0) return jsonAnswer({ access_token: text })
      }
      throw unverified('access_token is not the live bearer token of this app')
    },
  )
  return [create, invalidate]
}

async function appOfOwner(request: RequestFacts, house: House, nonces: NonceGuard, notes: RequestNotes) {
  const pairs = [...formPairs(request.rawQuery), ...formPairs(formBody(request))].filter((pair) => pair !== undefined)
  if (readBasic(request)) return { app: await appOfBasic(request, house, notes), parameters: pairs }
  const signed = await verifyRequest(request, house, nonces, 'access', notes)
  if (signed.token!.userId !== signed.app.owner_user_id)
    throw unverified('the access token is not of the owner of the app')
  return signed
}
