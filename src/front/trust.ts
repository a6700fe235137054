import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'

/** Where systems keep the certificates of the authorities that they trust. */
export const SYSTEM_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
] as const

/** Variables that name a file with the authorities that a program trusts. */
export const BUNDLE_VARIABLES = [
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'NODE_EXTRA_CA_CERTS',
  'DENO_CERT',
  'GIT_SSL_CAINFO',
  'PIP_CERT',
  'AWS_CA_BUNDLE',
  'CARGO_HTTP_CAINFO',
  'PERL_LWP_SSL_CA_FILE',
  'NIX_SSL_CERT_FILE',
  'HTTPLIB2_CA_CERTS',
  'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH',
] as const

/**
 * The authorities that programs should trust, as PEM texts: those of the system or of the user's SSL_CERT_FILE, those that other
 * variables of the user add, and ours. Without the first ones no other host could be reached any more.
 */
export function trustedCertificates(environment: NodeJS.ProcessEnv, own: string): string[] {
  const named = BUNDLE_VARIABLES.map((name) => environment[name]).filter((file) => file !== undefined && file !== '')
  const fromUser = named.map((file) => certificatesIn(file!))
  const roots = environment.SSL_CERT_FILE ? certificatesIn(environment.SSL_CERT_FILE) : systemRoots()
  return [...new Set([...roots, ...fromUser.flat(), own.trim()])]
}

function systemRoots(): string[] {
  for (const file of SYSTEM_BUNDLES) {
    const found = certificatesIn(file)
    if (found.length > 0) return found
  }
  return rootCertificates.map((certificate) => certificate.trim())
}

function certificatesIn(file: string): string[] {
  try {
    const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
    return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
  } catch {
    return []
  }
}

const PASSWORD = 'changeit'
const MAGIC = 0xfeedfeed
const VERSION = 2
const TRUSTED_CERTIFICATE = 2

/** A trust store for Java (JKS), which reads it without being told type or password. */
export function javaTrustStore(certificates: readonly string[], nowMs: number): Buffer {
  const entries = certificates.flatMap((certificate, index) => {
    const bytes = bytesOf(certificate)
    return bytes
      ? [number(TRUSTED_CERTIFICATE), utf(`rostra-${index}`), moment(nowMs), utf('X.509'), number(bytes.length), bytes]
      : []
  })
  const count = entries.length / 6
  const body = Buffer.concat([number(MAGIC), number(VERSION), number(count), ...entries])
  // Java's own way to see whether somebody changed the file.
  const check = createHash('sha1')
    .update(Buffer.from(PASSWORD, 'utf16le').swap16())
    .update('Mighty Aphrodite')
    .update(body)
    .digest()
  return Buffer.concat([body, check])
}

function bytesOf(certificate: string): Buffer | undefined {
  try {
    return new X509Certificate(certificate).raw
  } catch {
    // A bundle may hold a certificate that OpenSSL cannot read: programs leave it out too.
    return undefined
  }
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}
const moment = (ms: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(ms))
  return bytes
}
const utf = (value: string): Buffer => {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}
