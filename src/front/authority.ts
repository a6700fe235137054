import { X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PLATFORM_DOMAINS, PLATFORM_NAMES } from '../legacy-words.ts'
import { realNow } from '../process/clock.ts'
import { type KeyAndCertificate, makeAuthority, makeServerCertificate } from './certificate.ts'

/** The local certificate authority, and the certificate for the platform's names that it signed. */
export interface Authority {
  /** The certificate that programs must trust, as PEM. */
  certificate: string
  certificateFile: string
  /** What a TLS server needs. */
  server: KeyAndCertificate
}

const AUTHORITY_DAYS = 3650
// Some programs refuse certificates of servers that are valid for longer.
const SERVER_DAYS = 397
const RENEWED_DAYS_BEFORE = 30
const DAY_MS = 86_400_000

const FILES = { authorityKey: 'authority.key', authority: 'authority.pem', key: 'server.key', server: 'server.pem' }
type Parts = Record<keyof typeof FILES, string>

/** Reads the authority of a data folder. Makes it where there is none, and renews what expires soon. */
export function openAuthority(dataDir: string, nowMs = realNow()): Authority {
  const folder = path.join(dataDir, 'authority')
  const kept = readParts(folder)
  const parts = kept && isUsable(kept, nowMs) ? kept : store(folder, renewed(kept, nowMs), nowMs)
  return {
    certificate: parts.authority,
    certificateFile: path.join(folder, FILES.authority),
    server: { key: parts.key, certificate: parts.server + parts.authority },
  }
}

function readParts(folder: string): Parts | undefined {
  try {
    const read = Object.entries(FILES).map(([part, name]) => [part, readFileSync(path.join(folder, name), 'utf8')])
    return Object.fromEntries(read) as Parts
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Whether the certificates fit each other, cover every name, and are valid for some time yet. */
function isUsable({ authority, server }: Parts, nowMs: number): boolean {
  try {
    const names = new Set(
      new X509Certificate(server).subjectAltName?.split(', ').map((name) => name.replace('DNS:', '')),
    )
    return (
      daysLeft(server, nowMs) > RENEWED_DAYS_BEFORE &&
      isAuthorityUsable(authority, nowMs) &&
      new X509Certificate(server).checkIssued(new X509Certificate(authority)) &&
      PLATFORM_NAMES.every((name) => names.has(name))
    )
  } catch {
    return false
  }
}

// It must outlive the certificates that it signs.
const isAuthorityUsable = (authority: string, nowMs: number): boolean =>
  daysLeft(authority, nowMs) > SERVER_DAYS + RENEWED_DAYS_BEFORE

const daysLeft = (certificate: string, nowMs: number): number =>
  (Date.parse(new X509Certificate(certificate).validTo) - nowMs) / DAY_MS

/** A new certificate for the server; the authority stays while it can, since people may have told programs to trust it. */
function renewed(kept: Parts | undefined, nowMs: number): Parts {
  const { key, certificate } =
    kept && canSign(kept, nowMs)
      ? { key: kept.authorityKey, certificate: kept.authority }
      : makeAuthority(PLATFORM_DOMAINS, nowMs, AUTHORITY_DAYS)
  const read = new X509Certificate(certificate)
  const commonName = /^CN=(.*)$/m.exec(read.subject)![1]!
  const publicKey = read.publicKey.export({ type: 'spki', format: 'der' })
  const server = makeServerCertificate({ key, certificate, commonName, publicKey }, PLATFORM_NAMES, nowMs, SERVER_DAYS)
  return { authorityKey: key, authority: certificate, key: server.key, server: server.certificate }
}

function canSign({ authority }: Parts, nowMs: number): boolean {
  try {
    return isAuthorityUsable(authority, nowMs)
  } catch {
    return false
  }
}

/** Stores the parts at once. When another process was faster, its parts count. */
function store(folder: string, parts: Parts, nowMs: number): Parts {
  const draft = `${folder}.new-${process.pid}`
  const old = `${folder}.old-${process.pid}`
  mkdirSync(draft, { recursive: true, mode: 0o755 })
  try {
    for (const [part, name] of Object.entries(FILES))
      writeFileSync(path.join(draft, name), parts[part as keyof Parts], { mode: name.endsWith('.key') ? 0o600 : 0o644 })
    try {
      renameSync(folder, old)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    renameSync(draft, folder)
    return parts
  } catch (error) {
    const others = readParts(folder)
    if (others && isUsable(others, nowMs)) return others
    throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}
