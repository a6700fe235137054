import { defineEndpoint } from '../../api-kit/declaring/endpoint.ts'
import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import type { CountFor } from '../../api-kit/limits/endpoint-limit.ts'
import { formPairs } from '../../api-kit/reading/request-query.ts'
import { change, type Runtime } from '../../api-kit/runtime.ts'
import type { RequestNotes } from '../../api-kit/serving/serve-request.ts'
import { jsonAnswer } from '../../api-kit/writing/answer.ts'
import { codedError } from '../../api-kit/writing/problems.ts'
import { digest, randomText, sameText } from '../../process/secret-box.ts'
import type { Tx } from '../../storage/database.ts'
import { statement } from '../../storage/statement.ts'
import { type App, apiKeyPart, appPart } from '../credentials.parts.ts'
import { CODED_LIMIT } from '../limits.ts'
import type { NonceGuard } from '../oauth1/nonce-guard.ts'
import { formBody, refuseSuspended, verifyRequest } from '../oauth1/verify-request.ts'
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

// Bounded for each app, so an app that invalidates tokens all day does not fill the table.
const ENDED_KEPT = 100
const endedAdd = statement(
  'bearer_token_ended_add',
  {},
  `with old as (
     delete from ended_bearer_token where token_hash in (
       select token_hash from ended_bearer_token where app_id = $2 order by ended_at desc, token_hash offset $4::int)
   )
   insert into ended_bearer_token (token_hash, app_id, ended_at) values ($1, $2, $3)
   on conflict (token_hash) do update set ended_at = excluded.ended_at`,
)

/** Stores that a token was valid until now. */
export async function keepEnded(tx: Tx, runtime: Runtime, appId: string, tokenHash: Buffer): Promise<void> {
  await endedAdd.count(tx, tokenHash, appId, new Date(runtime.clock.now()), ENDED_KEPT - 1)
}

/** Makes an app-only token. Its percent escapes are part of the token. */
export const makeBearerToken = (): string =>
  `${'A'.repeat(21)}${randomText(24)}%2F${randomText(20)}%3D${randomText(50)}`

/** Returns the app-only token of an app: the same one until it is invalidated. Refuses apps that ask too often. */
export async function giveBearerToken(runtime: Runtime, app: App): Promise<string> {
  if (runtime.rateLimits === 'on') {
    const state = await runtime.limiter.take(`app-only-token:${app.id}`, REQUESTS)
    if (state.exceeded)
      throw unverified(
        `more than ${REQUESTS.limit} token requests in ${REQUESTS.seconds} s; store the token and use it again`,
      )
  }
  if (app.bearer_token_sealed) return runtime.secretBox.open(app.bearer_token_sealed)
  const token = makeBearerToken()
  const kept = await change(runtime, async (tx, invalidate) => {
    invalidate('app', app.id)
    return keepToken.first(tx, app.id, digest(token), runtime.secretBox.seal(token))
  })
  runtime.bus.wake('credentials')
  return runtime.secretBox.open(kept!.bearer_token_sealed)
}

/** Ends the app-only token of an app and returns it with its escapes; undefined when it is not the app's token. */
export async function endBearerToken(runtime: Runtime, appId: string, token: string): Promise<string | undefined> {
  // A token that was sent without encoding has lost its escapes on the way.
  const spellings = [token, token.replaceAll('/', '%2F').replaceAll('=', '%3D')]
  const ended = await change(runtime, async (tx, invalidate) => {
    invalidate('app', appId)
    for (const text of spellings) {
      const hash = digest(text)
      invalidate('bearer', hash.toString('hex'))
      if ((await dropToken.count(tx, appId, hash)) === 0) continue
      await keepEnded(tx, runtime, appId, hash)
      return text
    }
    return undefined
  })
  if (ended !== undefined) runtime.bus.wake('credentials')
  return ended
}

async function appOfBasic(request: RequestFacts, runtime: Runtime, notes: RequestNotes): Promise<App> {
  const basic = readBasic(request)
  if (!basic) throw unverified('the request has no Basic header')
  const appId = await runtime.parts.one(apiKeyPart, basic.name)
  const app = appId === undefined ? undefined : await runtime.parts.one(appPart, appId)
  if (app) notes.app = { id: app.id, name: app.name }
  if (!app || !sameText(runtime.secretBox.open(app.api_key_secret_sealed), basic.password))
    throw unverified('API key or API key secret is wrong')
  if (app.suspended) throw unverified('the app is suspended')
  return app
}

/** oauth2/token and oauth2/invalidate_token. */
export function bearerTokenEndpoints(nonces: NonceGuard) {
  const create = defineEndpoint(
    'appOnlyToken',
    'POST /oauth2/token',
    async (request, runtime, { notes, countFor }) => {
      const app = await appOfBasic(request, runtime, notes)
      await countFor(app)
      const grantType = formPairs(formBody(request)).find((pair) => pair?.[0] === 'grant_type')?.[1]
      if (grantType !== 'client_credentials')
        throw unverified(
          `grant_type is ${grantType ?? 'missing'}, only client_credentials is supported, in a form body`,
        )
      return jsonAnswer({ token_type: 'bearer', access_token: await giveBearerToken(runtime, app) })
    },
    CODED_LIMIT,
  )

  const invalidate = defineEndpoint(
    'appOnlyInvalidateToken',
    'POST /oauth2/invalidate_token',
    async (request, runtime, extras) => {
      const { app, parameters } = await appOfOwner(request, runtime, nonces, extras)
      const token = parameters.find(([name]) => name === 'access_token')?.[1] ?? ''
      const ended = await endBearerToken(runtime, app.id, token)
      if (ended === undefined) throw unverified('access_token is not the current bearer token of this app')
      return jsonAnswer({ access_token: ended })
    },
    CODED_LIMIT,
  )
  return [create, invalidate]
}

async function appOfOwner(
  request: RequestFacts,
  runtime: Runtime,
  nonces: NonceGuard,
  { notes, countFor }: { notes: RequestNotes; countFor: CountFor },
) {
  if (readBasic(request)) {
    const app = await appOfBasic(request, runtime, notes)
    await countFor(app)
    const pairs = [...formPairs(request.rawQuery), ...formPairs(formBody(request))]
    return { app, parameters: pairs.filter((pair) => pair !== undefined) }
  }
  const signed = await verifyRequest(request, runtime, nonces, 'access', notes)
  await countFor(signed.app)
  await refuseSuspended(runtime, signed.token!.userId)
  if (signed.token!.userId !== signed.app.owner_user_id)
    throw unverified('the access token does not belong to the owner of the app')
  return signed
}
