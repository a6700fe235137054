import { CallError, command, get } from '../kit/client.ts'
import { mount } from '../kit/router.ts'
import { type ApiDocument, type Credential, type Described, resolve, type Schema } from './document.ts'
import { type OAuth1Keys, signed } from './sign.ts'

/** A request as it is sent and shown. */
export interface Request {
  method: string
  /** Without the mount path. */
  path: string
  query: [name: string, value: string][]
  body: unknown
}

/** Who sends it. */
export interface Sender {
  kind: Credential
  user: string
  app: string
}

/** The secrets of a sender. */
export interface Secrets {
  bearer?: string
  oauth1?: OAuth1Keys
}

/** What was typed for a member, as a value of JSON; undefined when it was left empty. */
export function typedValue(document: ApiDocument, given: Schema, text: string | undefined): unknown {
  const schema = resolve(document, given)
  if (text === undefined || text === '') return undefined
  if (schema.type === 'boolean') return text === 'true'
  if (schema.type === 'integer' || schema.type === 'number') return Number(text)
  if (schema.type === 'string') return text
  if (schema.type === 'array' && !text.trim().startsWith('[') && isPlain(resolve(document, schema.items ?? {})))
    return text.split(',').map((item) => typedValue(document, schema.items ?? {}, item.trim()))
  try {
    return JSON.parse(text)
  } catch {
    throw new CallError(0, { detail: `This is not JSON: ${text.slice(0, 60)}` })
  }
}

export const isPlain = (schema: Schema): boolean =>
  schema.type === 'string' || schema.type === 'integer' || schema.type === 'number' || schema.type === 'boolean'

/** Makes the request of an operation from the fields of its form. */
export function buildRequest(
  document: ApiDocument,
  operation: Described,
  fields: Record<string, string>,
  server: string,
): Request {
  let { path } = operation
  const query: Request['query'] = []
  for (const parameter of operation.parameters) {
    const text = fields[`${parameter.in}.${parameter.name}`] ?? ''
    if (parameter.in === 'path')
      path = path.replace(`{${parameter.name}}`, text === '' ? `{${parameter.name}}` : encodeURIComponent(text))
    else if (text !== '') query.push([parameter.name, text])
  }
  return { method: operation.method, path: server + path, query, body: bodyOf(document, operation, fields) }
}

function bodyOf(document: ApiDocument, operation: Described, fields: Record<string, string>): unknown {
  if (!operation.body) return undefined
  const { properties } = resolve(document, operation.body)
  if (!properties) return typedValue(document, {}, fields.body)
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    typedValue(document, schema, fields[`body.${name}`]),
  ])
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

const encoded = (text: string): string => encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%3A', ':')

/** The address of a request, from the mount path on. */
export const addressOf = ({ path, query }: Request): string =>
  mount +
  path +
  (query.length === 0 ? '' : `?${query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`)

interface KnownApp {
  name: string
  id?: string
  api_key: string
  api_key_secret: string
  bearer_token?: string
}

interface TokenResult {
  app: string
  app_id: string
  access_token: string
  access_token_secret?: string
}

const tokens = new Map<string, Promise<TokenResult>>()

/** A token of a user, the same for all requests of this page. */
function tokenOf({ user, app }: Sender, isOauth2: boolean): Promise<TokenResult> {
  const key = `${user} ${app} ${isOauth2}`
  const known = tokens.get(key)
  if (known) return known
  const making = command<{ types?: { args: object; result: TokenResult } }>('user.token', {
    user,
    ...(app === '' ? {} : { app }),
    ...(isOauth2 ? { oauth2: true } : {}),
  })
  tokens.set(key, making)
  making.catch(() => tokens.delete(key))
  return making
}

/** Forgets tokens that no longer work. */
export const dropTokens = (): void => tokens.clear()

async function knownApp(app: string): Promise<KnownApp> {
  const { apps } = await get<{ apps: KnownApp[] }>('/_rostra/credentials')
  const found = app === '' ? apps[0] : apps.find((item) => item.name === app || item.id === app)
  if (found) return found
  throw new CallError(0, {
    detail: `The secrets of the app ${app} are not known here. Choose another app, or OAuth 2.0.`,
  })
}

/** The secrets that a sender needs. */
export async function secretsOf(sender: Sender): Promise<Secrets> {
  if (sender.kind === 'none') return {}
  if (sender.kind === 'app') {
    const { bearer_token: bearer } = await knownApp(sender.app)
    if (bearer === undefined) throw new CallError(0, { detail: 'This app has no bearer token.' })
    return { bearer }
  }
  if (sender.user === '') throw new CallError(0, { detail: 'Choose a user.' })
  const token = await tokenOf(sender, sender.kind === 'user')
  if (sender.kind === 'user') return { bearer: token.access_token }
  const app = await knownApp(token.app)
  return {
    oauth1: {
      consumerKey: app.api_key,
      consumerSecret: app.api_key_secret,
      token: token.access_token,
      tokenSecret: token.access_token_secret ?? '',
    },
  }
}

/** The header that proves who sends a request. */
export async function authorizationOf(request: Request, secrets: Secrets): Promise<string | undefined> {
  if (secrets.bearer !== undefined) return `Bearer ${secrets.bearer}`
  if (!secrets.oauth1) return undefined
  return signed(request.method, location.origin + mount + request.path, request.query, secrets.oauth1)
}

/** An answer, as far as it has come. */
export interface Received {
  status: number
  headers: [name: string, value: string][]
  text: string
  ms: number
  isOpen: boolean
}

const MOST_SHOWN = 200_000

/** Sends a request and calls back with what has come, so streams can be watched too. */
export async function send(
  request: Request,
  authorization: string | undefined,
  stop: AbortSignal,
  receive: (received: Received) => void,
): Promise<void> {
  const started = performance.now()
  const answer = await fetch(addressOf(request), {
    method: request.method,
    credentials: 'omit',
    signal: stop,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  })
  if (answer.status === 401) dropTokens()
  let text = ''
  const shown = (isOpen: boolean) =>
    receive({ status: answer.status, headers: [...answer.headers], text, ms: performance.now() - started, isOpen })
  shown(true)
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const piece = await reader?.read()
    if (!piece || piece.done) break
    text = (text + piece.value).slice(-MOST_SHOWN)
    if (!stop.aborted) shown(true)
  }
  shown(false)
}
