import { createHash } from 'node:crypto'
import { sameText } from '../../process/secret-box.ts'

/** The S256 challenge of a verifier. */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/** Checks a verifier against a stored challenge. */
export const verifierFits = (verifier: string, challenge: string): boolean => sameText(challengeOf(verifier), challenge)
