/** The bytes of a base64 text in either alphabet, with or without padding; undefined for any other text. */
export function readBase64(text: string): Buffer | undefined {
  const digits = text.replace(/={1,2}$/, '')
  return /^[A-Za-z0-9+/_-]+$/.test(digits) && digits.length % 4 !== 1 ? Buffer.from(digits, 'base64') : undefined
}

/** The same for texts that clients read as they are: they know the standard alphabet only. */
export const readStandardBase64 = (text: string): Buffer | undefined =>
  /[-_]/.test(text) ? undefined : readBase64(text)

/** A base64 text in the standard alphabet. */
export const inStandardAlphabet = (text: string): string => text.replaceAll('-', '+').replaceAll('_', '/')
