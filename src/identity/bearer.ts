import type { RequestFacts } from '../api-kit/declaring/operation.ts'
import type { Runtime } from '../api-kit/runtime.ts'
import { digest } from '../process/secret-box.ts'
import { type Bearer, bearerPart } from './credentials.parts.ts'

/** The token of a Bearer header; undefined when there is none. */
export const readBearer = (request: RequestFacts): string | undefined =>
  /^Bearer\s+(\S+)\s*$/i.exec(String(request.headers.authorization ?? ''))?.[1]

/** What a token stands for, and why it is no longer valid. Undefined for a token that was never issued. */
export async function findBearer(
  runtime: Runtime,
  token: string,
): Promise<{ bearer: Bearer; fault: string | undefined } | undefined> {
  const bearer = await runtime.parts.one(bearerPart, hashOf(token))
  if (!bearer) return undefined
  const hasExpired = bearer.expires_at !== null && bearer.expires_at.getTime() <= runtime.clock.now()
  const fault = bearer.ended
    ? 'the bearer token was invalidated or revoked'
    : hasExpired
      ? 'the access token has expired'
      : undefined
  return { bearer, fault }
}

const MAX_CACHED_HASHES = 2_000
const hashes = new Map<string, string>()

// Most requests use one of a few tokens.
function hashOf(token: string): string {
  let hash = hashes.get(token)
  if (hash === undefined) {
    hash = digest(token).toString('hex')
    if (hashes.size >= MAX_CACHED_HASHES) hashes.clear()
    hashes.set(token, hash)
  }
  return hash
}
