import { closed, Type } from '../api-kit/declaring/schema.ts'
import { formPairs } from '../api-kit/reading/request-query.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { joinCounts } from '../api-kit/serving/call-counts.ts'
import type { ShownCapture } from '../api-kit/serving/capture.ts'
import type { RecordedRequest } from '../api-kit/serving/request-log.ts'
import { type Answer, jsonAnswer } from '../api-kit/writing/answer.ts'
import { blank } from '../api-kit/writing/problems.ts'
import { signedHeader } from '../identity/oauth1/signed-header.ts'
import { userToken } from './access-commands.ts'
import { defineCommand, findApp } from './command.ts'

/** A request with its headers and bodies, while they are kept. */
export type RequestDetail = RecordedRequest & { exchange: ShownCapture | null }

type Found = ReturnType<Runtime['requestLog']['find']>

async function findRequest(runtime: Runtime, seq: string): Promise<RequestDetail> {
  const found =
    runtime.requestLog.find(seq) ?? (await runtime.bus.askAll<Found | null>('request', seq)).find((item) => item)
  if (!found) throw blank(404, `There is no request ${seq} in the log. The log has the last requests of each app.`)
  return { ...found.request, exchange: found.capture ?? null }
}

/** Answers `GET /_rostra/requests/{seq}`. */
export const readRequest = async (runtime: Runtime, seq: string): Promise<Answer> =>
  jsonAnswer(await findRequest(runtime, seq))

/** Answers `GET /_rostra/calls`: how the calls of each operation fared since the start, by app. */
export async function readCalls(runtime: Runtime): Promise<Answer> {
  const others = await runtime.bus.askAll<ReturnType<Runtime['requestLog']['readCalls']>>('calls', null)
  return jsonAnswer({ calls: joinCounts([...runtime.requestLog.readCalls(), ...others.flat()]) })
}

/** A new Authorization header for a request, of the same kind and for the same app and user. */
async function authorize(runtime: Runtime, request: RequestDetail): Promise<string | undefined> {
  const { method, path, app_id, user, credential, exchange } = request
  if (app_id === undefined || credential === undefined) return undefined
  const app = await findApp(runtime, app_id)
  if (credential === 'app')
    return app.bearer_token_sealed ? `Bearer ${runtime.secretBox.open(app.bearer_token_sealed)}` : undefined
  if (user === undefined) return undefined
  const isSigned = credential === 'oauth1'
  const made = (await userToken.run(runtime, { user, app: app.id, ...(isSigned ? {} : { oauth2: true }) })) as {
    access_token: string
    access_token_secret?: string
  }
  if (!isSigned) return `Bearer ${made.access_token}`
  const isForm = /form-urlencoded/.test(exchange?.request_headers['content-type'] ?? '')
  const pairs = formPairs(isForm ? (exchange?.request_body ?? '') : '').flatMap((pair) => (pair ? [pair] : []))
  return signedHeader(method, runtime.baseUrl + path, pairs, {
    consumerKey: app.api_key,
    consumerSecret: runtime.secretBox.open(app.api_key_secret_sealed),
    token: made.access_token,
    tokenSecret: made.access_token_secret!,
  })
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

// The others depend on the program that sends, or say nothing about the request.
const REPEATED_HEADERS = ['content-type', 'accept', 'last-event-id']

/**
 * How to send a request of the log again: as curl, and with which header. The credential is a new one of the same kind, for the
 * same app and user. A signed one works once, for five minutes.
 */
export const requestRepeat = defineCommand(
  'request.repeat',
  closed({ seq: Type.String({ pattern: '^[0-9]{20,22}$' }) }),
  async (runtime, { seq }) => {
    const request = await findRequest(runtime, seq)
    const { method, path, exchange } = request
    if (exchange && exchange.request_bytes > Buffer.byteLength(exchange.request_body ?? ''))
      throw blank(409, 'This request cannot be sent again: its body was not kept, or only the beginning of it.')
    const authorization = await authorize(runtime, request)
    const headers: Record<string, string> = {}
    for (const name of REPEATED_HEADERS) {
      const value = exchange?.request_headers[name]
      if (value !== undefined && value !== '*/*') headers[name] = value
    }
    if (authorization !== undefined) headers.authorization = authorization
    const body = exchange?.request_body
    const curl = [
      `curl -i -X ${method} ${quoted(runtime.baseUrl + path)}`,
      ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
      ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
    ].join(' \\\n  ')
    return { method, path, headers, body: body ?? null, curl }
  },
)
