import type { Naming } from '../../../api-kit/naming/naming.ts'
import type { HttpResponse } from '../../../api-kit/serving/serve-request.ts'
import type { AdsError, AdsProblem } from '../errors.ts'
import type { AdsAnswer, AdsOperation } from '../operation.ts'
import { type Echo, writeEcho } from './echo.ts'
import type { SentWords } from './sent-words.ts'

/** The JSON text of an answer: the echo of the request, then the members that the answer has. */
export function writeEnvelope(
  answer: AdsAnswer,
  write: (value: unknown) => string,
  echo: Echo,
  operation: AdsOperation,
): string {
  const request = answer.request === undefined ? `{"params":${writeEcho(echo)}}` : writeEcho(answer.request)
  const data =
    operation.data === undefined
      ? undefined
      : Array.isArray(answer.data) && operation.data.type !== 'array'
        ? `[${answer.data.map(write).join(',')}]`
        : write(answer.data)
  let text = `{"request":${request}`
  if (answer.data_type !== undefined) text += `,"data_type":"${answer.data_type}"`
  if (answer.time_series_length !== undefined) text += `,"time_series_length":${answer.time_series_length}`
  if (data !== undefined) text += `,"data":${data}`
  if (answer.message !== undefined) text += `,"message":${JSON.stringify(answer.message)}`
  if (answer.next_cursor !== undefined) text += `,"next_cursor":${JSON.stringify(answer.next_cursor)}`
  if (answer.total_count !== undefined) text += `,"total_count":${answer.total_count}`
  return `${text}}`
}

/** A refusal as the caller reads it. `words` are those that the client sent, for errors that quote them. */
export function adsProblemResponse(
  problem: AdsProblem,
  naming: Naming,
  params: Echo,
  words: SentWords | undefined,
): HttpResponse {
  const { errors, operationErrors } = problem
  const spell = (error: AdsError) => error.toReply(naming)
  const body = {
    ...(operationErrors ? { operation_errors: operationErrors.map((own) => own.map(spell)) } : {}),
    ...(errors.length > 0 || !operationErrors
      ? { errors: errors.map((error) => spell(words?.asSent(error) ?? error)) }
      : {}),
    request: problem.echo ?? { params },
  }
  return {
    status: problem.status,
    text: writeEcho(body),
    headers: { 'content-type': problem.contentType, ...problem.headers },
    reason: problem.reason,
  }
}
