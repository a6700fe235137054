/** How many random letters and digits a token or code has. */
export const OAUTH2_RANDOM_LENGTH = 43

/** A token or code in the form that existing clients expect: unpadded base64 of random text, time and kind. */
export const oauth2TokenOf = (random: string, now: number, kind: 'ac' | 'at' | 'rt'): string =>
  Buffer.from(`${random}:${now}:1:1:${kind}:1`).toString('base64').replace(/=+$/, '')
