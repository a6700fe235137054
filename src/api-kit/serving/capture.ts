import type { IncomingHttpHeaders } from 'node:http'
import { HIDDEN, redactPath, redactText } from './redact.ts'

/** How much of a body is shown. */
export const SHOWN_CHARACTERS = 4_096
/** A longer one is cut before it is kept. Shorter ones are kept as they are, because that costs nothing. */
const KEPT_CHARACTERS = 4 * SHOWN_CHARACTERS

type AnyHeaders = Record<string, string | string[] | undefined>

/** What the request log keeps of an exchange, without secrets. */
export interface Capture {
  requestHeaders: AnyHeaders
  /** Undefined without a body, or if it is not text. */
  requestBody: string | undefined
  requestBytes: number
  responseHeaders: AnyHeaders
  responseBody: string | undefined
  responseBytes: number
}

/** Headers and bodies as readers see them. Bodies are cut. */
export interface ShownCapture {
  request_headers: Record<string, string>
  request_body?: string | undefined
  request_bytes: number
  response_headers: Record<string, string>
  response_body?: string | undefined
  response_bytes: number
}

const TEXT = /json|text|xml|form-urlencoded|javascript/

const CONSUMER_KEY = 'oauth_consumer_key="'

const LONGEST_KIND = 12

/** The word before the credential itself, with a space. Without such a word, all of it may be a secret. */
function kindOf(value: string): string {
  const end = value.indexOf(' ')
  return end > LONGEST_KIND ? '' : value.slice(0, end + 1)
}

/** The kind of a credential, and of a signed request the app. Without a regular expression: this runs for every request. */
function redactAuthorization(value: string): string {
  if (!value.startsWith('OAuth ')) return kindOf(value) + HIDDEN
  const at = value.indexOf(CONSUMER_KEY)
  if (at < 0) return `OAuth ${HIDDEN}`
  const from = at + CONSUMER_KEY.length
  return `OAuth ${CONSUMER_KEY}${value.slice(from, value.indexOf('"', from))}", ${HIDDEN}`
}

/** A copy whose secrets are left out. */
function withoutSecrets(headers: AnyHeaders): AnyHeaders {
  const kept = { ...headers }
  if (kept.authorization !== undefined) kept.authorization = redactAuthorization(String(kept.authorization))
  if (kept.cookie !== undefined) kept.cookie = String(kept.cookie).replace(/=[^;]*/g, `=${HIDDEN}`)
  // Browsers send the whole address of the page with a form.
  if (kept.referer !== undefined) kept.referer = redactPath(String(kept.referer))
  if (kept['proxy-authorization'] !== undefined) kept['proxy-authorization'] = HIDDEN
  if (kept['set-cookie'] !== undefined)
    kept['set-cookie'] = [kept['set-cookie']].flat().map((line) => line.replace(/=[^;]*/, `=${HIDDEN}`))
  if (kept.location !== undefined) kept.location = redactText(String(kept.location).replace('?', '&')).replace('&', '?')
  return kept
}

/** As a text of its own: a part of a long text would keep all of it in memory. */
const cut = (text: string): string =>
  text.length <= KEPT_CHARACTERS ? text : Buffer.from(text.slice(0, KEPT_CHARACTERS)).toString()

/**
 * Keeps headers and bodies of an exchange. Secrets are left out here, before anything is kept. `mayAnswerSecrets` is false for
 * operations: their answers have none, and looking for them takes time.
 */
export function captureExchange(
  request: { headers: IncomingHttpHeaders; body: unknown },
  response: { headers: Record<string, string | string[]>; text: string },
  mayAnswerSecrets: boolean,
): Capture {
  const { headers, body } = request
  const bytes = Buffer.isBuffer(body) && body.length > 0 ? body : undefined
  const isText = bytes !== undefined && TEXT.test(headers['content-type'] ?? 'text')
  const { text } = response
  return {
    requestHeaders: withoutSecrets(headers),
    requestBody: isText ? redactText(bytes.toString('utf8', 0, KEPT_CHARACTERS)) : undefined,
    requestBytes: bytes?.length ?? 0,
    responseHeaders: mayAnswerSecrets ? withoutSecrets(response.headers) : response.headers,
    responseBody: mayAnswerSecrets ? keptAnswer(response) : text === '' ? undefined : cut(text),
    responseBytes: text.length,
  }
}

/** Pages are not kept: they show forms and PINs. */
function keptAnswer({
  headers,
  text,
}: {
  headers: Record<string, string | string[]>
  text: string
}): string | undefined {
  const isData = /json|form-urlencoded|text\/plain/.test(String(headers['content-type'] ?? ''))
  return isData && text !== '' ? redactText(cut(text)) : undefined
}

/** About how much memory a capture takes. */
export const sizeOf = ({ requestBody, responseBody }: Capture): number =>
  2_000 + (requestBody?.length ?? 0) + (responseBody?.length ?? 0)

const shownHeaders = (headers: AnyHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))

export const showCapture = (capture: Capture): ShownCapture => ({
  request_headers: shownHeaders(capture.requestHeaders),
  request_body: capture.requestBody?.slice(0, SHOWN_CHARACTERS),
  request_bytes: capture.requestBytes,
  response_headers: shownHeaders(capture.responseHeaders),
  response_body: capture.responseBody?.slice(0, SHOWN_CHARACTERS),
  response_bytes: Number(capture.responseHeaders['content-length'] ?? capture.responseBytes),
})
