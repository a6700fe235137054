import type { PermissionLevel } from '../../api-kit/declaring/caller.ts'
import type { RequestFacts } from '../../api-kit/declaring/operation.ts'
import { formPairs } from '../../api-kit/reading/request-query.ts'
import type { Runtime } from '../../api-kit/runtime.ts'
import { redactValue } from '../../api-kit/serving/redact.ts'
import type { RequestNotes } from '../../api-kit/serving/serve-request.ts'
import { codedError, unavailable } from '../../api-kit/writing/problems.ts'
import { realNow } from '../../process/clock.ts'
import { digest, sameText } from '../../process/secret-box.ts'
import { type App, accountPart, apiKeyPart, appPart, oauth1TokenPart } from '../credentials.parts.ts'
import { explainSignature } from './explain-signature.ts'
import { type NonceGuard, TIMESTAMP_WINDOW_S } from './nonce-guard.ts'
import { parseAuthorization, signature, signatureBase, signatureBases } from './signature.ts'

/** A request with a correct OAuth 1.0a signature. */
interface SignedRequest {
  app: App
  /** Every oauth_* parameter. */
  oauth: Map<string, string>
  /** All other parameters of query and form body. */
  parameters: [string, string][]
  token: { hash: string; userId: string; level: PermissionLevel } | undefined
}

/** Which token a request is signed with: none yet, a request token, or an access token. */
type TokenSource = 'none' | 'access' | { secretOf(token: string): Promise<string | undefined> }

export const couldNotAuthenticate = (reason: string) => codedError(401, 32, 'Could not authenticate you.', { reason })
export const badAuthenticationData = (reason: string) => codedError(400, 215, 'Bad Authentication data.', { reason })
export const invalidToken = (reason: string) =>
  codedError(401, 89, 'Invalid or expired token.', { reason, cause: 'token-invalid' })
export const suspendedApp = () =>
  codedError(401, 416, 'Invalid / suspended application', { reason: 'the app is suspended', cause: 'app-suspended' })

export const suspendedUser = () =>
  codedError(403, 64, 'Your account is suspended and is not permitted to access this feature.', {
    reason: 'the user is suspended',
    cause: 'user-suspended',
  })

/** Rejects requests from suspended accounts. */
export async function refuseSuspended(runtime: Runtime, userId: string): Promise<void> {
  const user = await runtime.parts.one(accountPart, userId)
  if (user?.suspended) throw suspendedUser()
}

const NONCES_LOST =
  'the database lost the used nonces (as it does after a crash), so this request may be a repeated one; sign it again'
// A request that is signed now has a later timestamp after this.
const SIGN_AGAIN_AFTER_S = 1

/** Checks the signature of a request, its timestamp and its nonce; refuses with the codes of the 1.0a layer. */
export async function verifyRequest(
  request: RequestFacts,
  runtime: Runtime,
  nonces: NonceGuard,
  tokenSource: TokenSource,
  notes: RequestNotes,
): Promise<SignedRequest> {
  const { oauth, signed, parameters } = collect(request)
  const consumerKey = required(oauth, 'oauth_consumer_key')
  const nonce = required(oauth, 'oauth_nonce')
  const given = required(oauth, 'oauth_signature')
  if (required(oauth, 'oauth_signature_method') !== 'HMAC-SHA1')
    throw couldNotAuthenticate('oauth_signature_method is not HMAC-SHA1')
  // Some client libraries name the revision.
  if (!/^1\.0a?$/i.test(oauth.get('oauth_version') ?? '1.0'))
    throw couldNotAuthenticate('oauth_version is not 1.0 or 1.0A')
  if (!/^[\x20-\x7e]+$/.test(nonce)) throw couldNotAuthenticate('oauth_nonce is not ASCII')
  const signedAt = checkTimestamp(required(oauth, 'oauth_timestamp'))

  const appId = await runtime.parts.one(apiKeyPart, consumerKey)
  const app = appId === undefined ? undefined : await runtime.parts.one(appPart, appId)
  if (!app) throw couldNotAuthenticate('no app has this oauth_consumer_key')
  notes.app = { id: app.id, name: app.name }

  const { secret, token } = await findToken(runtime, tokenSource, oauth.get('oauth_token'), app)
  const consumerSecret = runtime.secretBox.openCached(app.api_key_secret_sealed)
  const baseOf = signatureBases(request.method, signed)
  const isSigned = (url: string) => sameText(signature(baseOf(url), consumerSecret, secret), given)
  // Nearly always it is the first, so the others are not made.
  if (!isUsable(request.url) || !isSigned(request.url)) {
    const urls = addresses(request, runtime)
    if (!urls.some(isSigned))
      refuseSignature(request, runtime, notes, { urls, signed, given, app, consumerSecret, secret })
  }
  // Only after the signature: others must not learn from the API key that the app is suspended.
  if (app.suspended) throw suspendedApp()
  const state = await nonces.store(consumerKey, nonce, signedAt)
  // Nothing is wrong with the credentials: clients throw them away after a 401.
  if (state === 'unknown') throw unavailable(NONCES_LOST, SIGN_AGAIN_AFTER_S)
  if (state === 'used') throw couldNotAuthenticate('this oauth_nonce was used before')
  return { app, oauth, parameters, token }
}

/** A signature that fits none of the addresses that the client may have used. */
interface WrongSignature {
  urls: readonly string[]
  signed: readonly (readonly [string, string])[]
  given: string
  app: App
  consumerSecret: string
  secret: string
}

/** Refuses a wrong signature, and notes what helps to find the mistake. */
function refuseSignature(
  request: RequestFacts,
  runtime: Runtime,
  notes: RequestNotes,
  { urls, signed, given, app, consumerSecret, secret }: WrongSignature,
): never {
  const used = usedAddress(request, urls, runtime)
  notes.details = {
    signature_base_string: signatureBase(
      request.method,
      used,
      signed.map(([name, value]) => [name, redactValue(name, value)]),
    ),
    signing_key: `consumer secret of the app "${app.name}" + "&" + ${secret === '' ? '(no token secret)' : 'secret of the token sent'}`,
    oauth_signature_sent: given,
  }
  const otherwise = explainSignature(
    {
      method: request.method,
      urls: [used, ...urls.filter((url) => url !== used)],
      pairs: signed,
      queryNames: namesIn(request.rawQuery),
      formNames: namesIn(formBody(request)),
      given,
      consumerSecret,
      tokenSecret: secret,
      show: redactValue,
    },
    request.rawQuery,
  )
  if (otherwise) {
    notes.details.signature_base_string_received = otherwise.base
    notes.details.signature_mistake = otherwise.mistake
  }
  throw couldNotAuthenticate(
    otherwise
      ? `the signature does not match the base string that the server built: ${otherwise.mistake}`
      : 'the signature does not match the base string that the server built',
  )
}

function collect(request: RequestFacts) {
  const header = String(request.headers.authorization ?? '')
  const fromHeader = parseAuthorization(header)
  if (header !== '' && !fromHeader) throw badAuthenticationData('the Authorization header cannot be parsed')
  const oauth = new Map<string, string>()
  const signed: [string, string][] = []
  const parameters: [string, string][] = []
  const add = (name: string, value: string) => {
    // Some client libraries send oauth_token in the header and again in query or body, but sign it once.
    if (oauth.get(name) === value) return
    if (name.startsWith('oauth_')) oauth.set(name, value)
    else parameters.push([name, value])
    if (name !== 'oauth_signature') signed.push([name, value])
  }
  // The realm is allowed but never signed.
  for (const [name, value] of fromHeader ?? []) if (name !== 'realm') add(name, value)
  for (const text of [request.rawQuery, formBody(request)]) {
    for (const pair of formPairs(text)) {
      if (!pair) throw badAuthenticationData('a parameter has an invalid percent escape')
      add(pair[0], pair[1])
    }
  }
  return { oauth, signed, parameters }
}

const namesIn = (text: string): Set<string> => new Set(formPairs(text).flatMap((pair) => (pair ? [pair[0]] : [])))

/** The form-encoded body of a request; empty when the body has another type. */
export function formBody(request: RequestFacts): string {
  const type = String(request.headers['content-type'] ?? '')
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type) && request.body ? request.body.toString('utf8') : ''
}

function required(oauth: Map<string, string>, name: string): string {
  const value = oauth.get(name)
  if (value === undefined || value === '' || value.includes('\0')) throw badAuthenticationData(`${name} is missing`)
  return value
}

function checkTimestamp(text: string): number {
  const signedAt = Number(text)
  const outside = !/^\d{1,12}$/.test(text) || Math.abs(realNow() / 1000 - signedAt) > TIMESTAMP_WINDOW_S
  if (outside) {
    const reason = `oauth_timestamp ${text} is more than ${TIMESTAMP_WINDOW_S} s from the server's ${Math.floor(realNow() / 1000)}`
    throw codedError(401, 135, 'Timestamp out of bounds.', { reason })
  }
  return signedAt
}

async function findToken(runtime: Runtime, source: TokenSource, text: string | undefined, app: App) {
  if (source === 'none') return { secret: '', token: undefined }
  if (text === undefined || text === '') throw badAuthenticationData('oauth_token is missing')
  if (source === 'access') {
    const hash = digest(text).toString('hex')
    const row = await runtime.parts.one(oauth1TokenPart, hash)
    if (!row || row.app_id !== app.id) throw invalidToken('the access token is unknown or was invalidated')
    const token = { hash, userId: row.user_id, level: row.access_level as PermissionLevel }
    return { secret: runtime.secretBox.openCached(row.secret_sealed), token }
  }
  const secret = await source.secretOf(text)
  if (secret === undefined) throw invalidToken('the request token is unknown, used or expired')
  return { secret, token: undefined }
}

/**
 * The address that the client most likely used, for the request log: the host that it named, and the scheme that a proxy or the
 * public address gives for this host.
 */
function usedAddress({ headers, url }: RequestFacts, urls: readonly string[], { origin }: Runtime): string {
  const told = firstOf(headers['x-forwarded-proto'])
  for (const host of [firstOf(headers['x-forwarded-host']), firstOf(headers.host)]) {
    const ofPublic = origin.endsWith(`//${host}`) ? origin.slice(0, origin.indexOf(':')) : 'http'
    const own = `${told === 'https' || told === 'http' ? told : ofPublic}://${host}/`
    const used = urls.find((address) => address.toLowerCase().startsWith(own))
    if (used !== undefined) return used
  }
  return url
}

const firstOf = (header: string | string[] | undefined): string | undefined =>
  header === undefined ? undefined : String(header).split(',')[0]!.trim().toLowerCase()

// The client signs the address that it used: the host of the request, with http or https, or the public address. The path may
// have the mount path or not.
function addresses({ url, path, mount, headers }: RequestFacts, { baseUrl, origin: own }: Runtime): string[] {
  const front = url.slice(0, url.length - path.length)
  const origins = [front === baseUrl ? own : front]
  const host = String(headers.host ?? '')
  if (/^[\w.:[\]-]+$/.test(host)) origins.push(`http://${host}`, `https://${host}`)
  const known = [url, ...origins.flatMap((origin) => [origin + mount + path, origin + path]), baseUrl + path]
  return [...new Set(known)].filter(isUsable)
}

const isUsable = (address: string): boolean => URL.canParse(address)
