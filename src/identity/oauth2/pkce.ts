import { createHash } from 'node:crypto'
import { sameText } from '../../process/sealer.ts'

export type ChallengeMethod = 'S256' | 'plain'

/** Checks a verifier against the challenge of the authorization request. */
export function verifierFits(verifier: string, challenge: string, method: ChallengeMethod): boolean {
  const made = method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier
  return sameText(made, challenge.replace(/=+$/, ''))
}
