import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes as nonceBytes,
  timingSafeEqual,
} from 'node:crypto'
import { randomBytes } from './random.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts what must be read back; the key is not in the database. */
export interface SecretBox {
  seal(text: string): Buffer
  open(sealed: Buffer): string
  /** The same for a row that is cached: the text is kept for as long as the buffer it came from. */
  openCached(sealed: Buffer): string
  /** A keyed digest for short-lived proofs such as form tokens, and for secrets that are short enough to be guessed. */
  sign(text: string): string
  /** A public fingerprint of the key, to detect a wrong one. */
  fingerprint: string
}

/** `key` is 64 hex digits. */
export function createSecretBox(key: string): SecretBox {
  const bytes = Buffer.from(key, 'hex')
  const opened = new WeakMap<Buffer, string>()
  const box: SecretBox = {
    seal(text) {
      const nonce = nonceBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    open(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', bytes, sealed.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
        'utf8',
      )
    },
    openCached(sealed) {
      const text = opened.get(sealed) ?? box.open(sealed)
      opened.set(sealed, text)
      return text
    },
    sign: (text) => createHmac('sha256', bytes).update(text).digest('base64url'),
    fingerprint: createHmac('sha256', bytes).update('fingerprint').digest('hex').slice(0, 16),
  }
  return box
}

/** The stored form of a secret that is only ever compared. Our secrets are long and random, so one fast digest is enough. */
export const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares two digests of one length in constant time. */
export function sameDigest(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The same for texts. Only their length shows in the time that it takes. */
export const sameText = (left: string, right: string): boolean => sameDigest(Buffer.from(left), Buffer.from(right))

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Random letters and digits. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte: larger bytes would favour some letters.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += LETTERS[byte % 62]
  }
  return text
}

/** Random decimal digits. */
export function randomDigits(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) if (byte < 250 && text.length < length) text += String(byte % 10)
  }
  return text
}
