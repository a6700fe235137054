import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { bits, der, identifier, integer, octets, sequence, text, utcTime, yes } from './der.ts'

/** A private key and a certificate, both as PEM. */
export interface KeyAndCertificate {
  key: string
  certificate: string
}

interface Subject {
  commonName: string
  /** Subject public key info, as DER. */
  publicKey: Buffer
}

interface Draft {
  issuer: string
  subject: Subject
  fromMs: number
  untilMs: number
  extensions: Buffer[]
}

const ECDSA_WITH_SHA256 = '2a8648ce3d040302'
const ORGANIZATION = '55040a'
const COMMON_NAME = '550403'
const BASIC_CONSTRAINTS = '551d13'
const KEY_USAGE = '551d0f'
const EXTENDED_KEY_USAGE = '551d25'
const SERVER_AUTH = '2b06010505070301'
const SUBJECT_ALT_NAME = '551d11'
const SUBJECT_KEY_ID = '551d0e'
const AUTHORITY_KEY_ID = '551d23'
const NAME_CONSTRAINTS = '551d1e'

const DAY_MS = 86_400_000
// The clock of a program may be a little behind ours.
const BACKDATED_MS = DAY_MS

/** Makes a certificate authority that can sign for names below some domains, and for nothing else. */
export function makeAuthority(domains: readonly string[], nowMs: number, days: number): KeyAndCertificate {
  const pair = newKey()
  // Random, so two authorities on one machine are not taken for each other.
  const subject = { commonName: `Rostra local authority ${randomBytes(4).toString('hex')}`, publicKey: pair.publicKey }
  const permitted = domains.map((domain) => sequence(dnsName(domain)))
  const certificate = signed(pair.key, {
    issuer: subject.commonName,
    subject,
    fromMs: nowMs - BACKDATED_MS,
    untilMs: nowMs + days * DAY_MS,
    extensions: [
      critical(BASIC_CONSTRAINTS, sequence(yes(), integer(Buffer.from([0])))),
      // keyCertSign and cRLSign.
      critical(KEY_USAGE, bits(Buffer.from([0x06]), 1)),
      critical(NAME_CONSTRAINTS, sequence(der(0xa0, ...permitted))),
      extension(SUBJECT_KEY_ID, octets(keyId(pair.publicKey))),
    ],
  })
  return { key: pair.key, certificate }
}

/** Makes a certificate for servers with these names, signed by an authority. */
export function makeServerCertificate(
  authority: KeyAndCertificate & { commonName: string; publicKey: Buffer },
  names: readonly string[],
  nowMs: number,
  days: number,
): KeyAndCertificate {
  const pair = newKey()
  const certificate = signed(authority.key, {
    issuer: authority.commonName,
    subject: { commonName: 'Rostra', publicKey: pair.publicKey },
    fromMs: nowMs - BACKDATED_MS,
    untilMs: nowMs + days * DAY_MS,
    extensions: [
      critical(KEY_USAGE, bits(Buffer.from([0x80]), 7)),
      extension(EXTENDED_KEY_USAGE, sequence(identifier(SERVER_AUTH))),
      extension(SUBJECT_ALT_NAME, sequence(...names.map(dnsName))),
      extension(SUBJECT_KEY_ID, octets(keyId(pair.publicKey))),
      extension(AUTHORITY_KEY_ID, sequence(der(0x80, keyId(authority.publicKey)))),
    ],
  })
  return { key: pair.key, certificate }
}

const newKey = (): { key: string; publicKey: Buffer } => {
  const made = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { key: made.privateKey, publicKey: made.publicKey }
}

const dnsName = (name: string): Buffer => der(0x82, Buffer.from(name))
const keyId = (publicKey: Buffer): Buffer => createHash('sha1').update(publicKey).digest()
const extension = (id: string, value: Buffer): Buffer => sequence(identifier(id), octets(value))
const critical = (id: string, value: Buffer): Buffer => sequence(identifier(id), yes(), octets(value))
const attribute = (id: string, value: string): Buffer => der(0x31, sequence(identifier(id), text(value)))
const nameOf = (commonName: string): Buffer =>
  sequence(attribute(ORGANIZATION, 'Rostra'), attribute(COMMON_NAME, commonName))

function signed(key: string, { issuer, subject, fromMs, untilMs, extensions }: Draft): string {
  const algorithm = sequence(identifier(ECDSA_WITH_SHA256))
  const serial = randomBytes(16)
  // A first byte of zero would not be the shortest form, and a serial number of zero is not allowed.
  serial[0] = (serial[0]! & 0x7f) | 0x40
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    nameOf(issuer),
    sequence(utcTime(fromMs), utcTime(untilMs)),
    nameOf(subject.commonName),
    subject.publicKey,
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', body, createPrivateKey(key))
  return pem(sequence(body, algorithm, bits(signature)))
}

/** A certificate as text, from its bytes. */
export function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g)!
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
