import { createHmac } from 'node:crypto'
import { type OutgoingClient, OutgoingError } from '../process/outgoing.ts'
import { randomText, sameText } from '../process/secret-box.ts'

const TIMEOUT_MS = 10_000

/** What was sent and what came back. */
export interface ChallengeTranscript {
  address: string
  /** The `response_token` that passes. */
  expected: string
  /** Undefined when there was no answer. */
  status?: number
  answer?: string
  ms: number
}

/** A conclusive failure makes a webhook invalid at once, an inconclusive one only if it lasts. */
type Judgement = { passed: true } | { passed: false; conclusive: boolean; reason: string }

/** The result of a challenge. */
export type ChallengeResult = Judgement & { transcript: ChallengeTranscript }

/** The answer that a receiver must give to a challenge: an HMAC with the API key secret of the app. */
export const challengeAnswer = (secret: string, token: string): string =>
  `sha256=${createHmac('sha256', secret).update(token).digest('base64')}`

/** Calls the webhook with a new token and checks that the receiver has the secret. */
export async function challenge(
  outgoing: OutgoingClient,
  url: string,
  secret: string,
  stopping?: AbortSignal,
): Promise<ChallengeResult> {
  const token = randomText(40)
  const address = `${url}${url.includes('?') ? '&' : '?'}crc_token=${token}`
  const expected = challengeAnswer(secret, token)
  const started = performance.now()
  const transcript = () => ({ address, expected, ms: Math.round(performance.now() - started) })
  try {
    const answer = await outgoing.call({
      method: 'GET',
      url: address,
      timeoutMs: TIMEOUT_MS,
      ...(stopping ? { stopping } : {}),
    })
    return {
      ...checkAnswer(answer.status, answer.body, expected),
      transcript: { ...transcript(), status: answer.status, answer: answer.body },
    }
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    const reason = `the challenge got no answer: ${error.message}`
    return { passed: false, conclusive: error.kind === 'tls', reason, transcript: transcript() }
  }
}

function checkAnswer(status: number, body: string, expected: string): Judgement {
  if (status >= 300 && status < 400)
    return { passed: false, conclusive: true, reason: `the challenge was answered with a redirect (HTTP ${status})` }
  if (status < 200 || status >= 400)
    return { passed: false, conclusive: false, reason: `the challenge was answered with HTTP ${status}` }
  let given: unknown
  try {
    given = (JSON.parse(body) as { response_token?: unknown } | null)?.response_token
  } catch {
    return { passed: false, conclusive: true, reason: 'the answer to the challenge is not JSON' }
  }
  if (typeof given !== 'string')
    return { passed: false, conclusive: true, reason: 'the answer to the challenge has no response_token' }
  if (!sameText(given, expected))
    return {
      passed: false,
      conclusive: true,
      reason: 'the response_token is not the HMAC of the crc_token with the API key secret',
    }
  return { passed: true }
}
