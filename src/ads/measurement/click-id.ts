import type { Runtime } from '../../api-kit/runtime.ts'
import { ADS_KEPT_NAMES } from '../../legacy-words.ts'
import { sameDigest } from '../../process/secret-box.ts'

/** An ad that somebody was shown. */
export interface Impression {
  /** `ads_viewer.number`. */
  viewer: number
  impressionId: string
}

type Keys = Pick<Runtime, 'secretBox'>

const HALF_BYTES = 12
const PURPOSE = 'click id'

const keyed = ({ secretBox }: Keys, purpose: string, bytes: Buffer): Buffer =>
  Buffer.from(secretBox.sign(`${PURPOSE} ${purpose} ${bytes.toString('hex')}`), 'base64url').subarray(0, HALF_BYTES)

const combined = (left: Buffer, right: Buffer): Buffer => Buffer.from(left.map((byte, at) => byte ^ right[at]!))

/**
 * What the links of an ad carry: opaque, signed, and the same each time for one impression. The first half is a keyed digest
 * of the impression; the second half is the impression, hidden by a keyed digest of the first.
 */
export function clickId(keys: Keys, { viewer, impressionId }: Impression): string {
  const plain = Buffer.alloc(HALF_BYTES)
  plain.writeUInt32BE(viewer, 0)
  plain.writeBigUInt64BE(BigInt(impressionId), 4)
  const proof = keyed(keys, 'proof', plain)
  return Buffer.concat([proof, combined(plain, keyed(keys, 'hiding', proof))]).toString('base64url')
}

/** The impression that a click id leads to; undefined for a text that this server did not make. */
export function readClickId(keys: Keys, text: string): Impression | undefined {
  if (!/^[\w-]{32}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const proof = bytes.subarray(0, HALF_BYTES)
  const plain = combined(bytes.subarray(HALF_BYTES), keyed(keys, 'hiding', proof))
  if (!sameDigest(proof, keyed(keys, 'proof', plain))) return undefined
  return { viewer: plain.readUInt32BE(0), impressionId: plain.readBigUInt64BE(4).toString() }
}

/** The address that an ad leads to, with the click id as a parameter. */
export function withClickId(address: string, id: string): string {
  const url = new URL(address)
  url.searchParams.set(ADS_KEPT_NAMES.clickId, id)
  return url.href
}
