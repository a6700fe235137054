import { createHash, type KeyObject } from 'node:crypto'
import { change, type Runtime } from '../../../api-kit/runtime.ts'
import { conflict, invalidParameter } from '../../../api-kit/writing/problems.ts'
import { readStandardBase64 } from '../wire/base64.ts'
import { isVersion } from '../wire/details.ts'
import { isSignedBy, readPublicKey } from '../wire/signing.ts'
import { type PublicKeyRow, publicKeyAdd, publicKeysLock, publicKeysOf } from './public-key.statements.ts'

const MOST_VERSIONS = 50

/** What a client registers. */
interface Registration {
  generate_version?: boolean
  version: string
  public_key: {
    identity_public_key_signature?: string
    public_key?: string
    public_key_fingerprint?: string
    registration_method?: string
    signing_public_key?: string
    signing_public_key_signature?: string
  }
}

/** Registers a version of a user's keys. The same identity key again returns the version that it has. */
export async function registerKeys(runtime: Runtime, userId: string, sent: Registration): Promise<PublicKeyRow> {
  const { fingerprint, keys } = checkRegistration(sent)
  return change(runtime, async (tx) => {
    await publicKeysLock.count(tx, userId)
    const known = await publicKeysOf.all(tx, [userId])
    const same = known.find((row) => row.fingerprint === fingerprint)
    if (same) return same
    if (known.length >= MOST_VERSIONS)
      throw conflict(`The user has ${MOST_VERSIONS} versions of keys, and cannot have more.`)
    return (await publicKeyAdd.first(
      tx,
      userId,
      chooseVersion(runtime, sent, known),
      keys.public_key,
      keys.signing_public_key,
      keys.identity_public_key_signature,
      fingerprint,
      sent.public_key.registration_method ?? null,
      new Date(runtime.clock.now()),
    ))!
  })
}

/**
 * Clients go on with the version that they sent, so it is kept where it can be. The newest version must be the largest, because
 * others encrypt for that one.
 */
function chooseVersion(runtime: Runtime, sent: Registration, known: readonly PublicKeyRow[]): string {
  const newest = known[0]?.version
  if (newest === undefined || BigInt(sent.version) > BigInt(newest)) return sent.version
  if (sent.generate_version) {
    const [now, next] = [BigInt(runtime.clock.now()), BigInt(newest) + 1n]
    const made = (now > next ? now : next).toString()
    if (!isVersion(made)) throw conflict(`The newest version is [${newest}], and there is no larger one.`)
    return made
  }
  if (known.some((row) => row.version === sent.version))
    throw conflict(`The version [${sent.version}] belongs to other keys of this user.`)
  throw invalidParameter(
    'version',
    sent.version,
    `The version [${sent.version}] must be larger than the newest one, [${newest}].`,
  )
}

function checkRegistration(sent: Registration) {
  if (!isVersion(sent.version))
    throw invalidParameter(
      'version',
      sent.version.slice(0, 30),
      'The version must be a decimal number from 1 to 9223372036854775807, without leading zeros.',
    )
  const keys = {
    public_key: needed(sent, 'public_key'),
    signing_public_key: needed(sent, 'signing_public_key'),
    identity_public_key_signature: needed(sent, 'identity_public_key_signature'),
  }
  const identity = readKey('public_key', keys.public_key)
  const signing = readKey('signing_public_key', keys.signing_public_key)
  checkBinding('identity_public_key_signature', keys.identity_public_key_signature, signing.key, identity.der)
  const counterpart = sent.public_key.signing_public_key_signature
  if (counterpart !== undefined) checkBinding('signing_public_key_signature', counterpart, identity.key, signing.der)
  const fingerprint = createHash('sha256').update(identity.der).digest('base64url')
  const stated = sent.public_key.public_key_fingerprint
  if (stated !== undefined && stated.replace(/=+$/, '') !== fingerprint)
    throw invalidParameter(
      'public_key.public_key_fingerprint',
      stated.slice(0, 60),
      `The fingerprint of this public_key is [${fingerprint}].`,
    )
  return { keys, fingerprint }
}

function needed(sent: Registration, name: 'public_key' | 'signing_public_key' | 'identity_public_key_signature') {
  const value = sent.public_key[name]
  if (value !== undefined) return value
  throw invalidParameter(`public_key.${name}`, undefined, `public_key.${name} is missing but it is required`)
}

function readKey(name: string, text: string): { key: KeyObject; der: Buffer } {
  const der = readStandardBase64(text)
  const key = der && readPublicKey(der)
  if (der && key) return { key, der }
  throw invalidParameter(
    `public_key.${name}`,
    text.slice(0, 40),
    `public_key.${name} must be a P-256 public key in DER (SubjectPublicKeyInfo), in base64 of the standard alphabet.`,
  )
}

function checkBinding(name: string, text: string, key: KeyObject, signed: Buffer): void {
  const signature = readStandardBase64(text)
  if (signature && isSignedBy(key, signature, signed)) return
  const [signer, about] = name.startsWith('identity') ? ['signing', 'identity'] : ['identity', 'signing']
  throw invalidParameter(
    `public_key.${name}`,
    text.slice(0, 40),
    `public_key.${name} must be the signature (64 bytes, base64 of the standard alphabet) of the ${signer} key over the DER bytes of the ${about} key.`,
  )
}
